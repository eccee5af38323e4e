"""The flags of a program, noted as it asks for them, and values for those that it must have."""

import argparse
import glob
import json
import optparse
import re
import sys

from .state import start

_parse = argparse.ArgumentParser.parse_known_args


def value_for(action):
    """A value for an argument that must be given."""
    if action.choices:
        return str(next(iter(action.choices)))
    if action.type in (int, float):
        return "3"
    if re.search("conf|param|json|yaml|yml|cfg", action.dest):
        found = [one for end in ("json", "yaml", "yml") for one in sorted(glob.glob(f"**/*.{end}", recursive=True))]
        return min(found, key=lambda one: ("example" not in one, one), default=f"given_{action.dest}")
    return f"given_{action.dest.strip('-_')}"


def _described(action):
    kind = type(action).__name__.strip("_").removesuffix("Action")
    default = action.default if isinstance(action.default, (int, float, str, bool, type(None))) else None
    kind = kind if kind in ("Store", "StoreTrue", "StoreFalse", "StoreConst") else "Other"
    type_name = getattr(action.type, "__name__", None) if action.type else None
    return {
        "dest": action.dest,
        "flags": list(action.option_strings),
        "kind": kind,
        "type": type_name,
        "default": default,
        "choices": [str(one) for one in action.choices] if action.choices else None,
        "help": str(action.help or ""),
        "nargs": str(action.nargs) if action.nargs is not None else None,
    }


def _is_given(action, args):
    return any(one.split("=")[0] in action.option_strings for one in args if isinstance(one, str))


def _filled(parser, args):
    args = [str(one) for one in args]
    for action in parser._actions:
        is_flag = bool(action.option_strings)
        if is_flag and action.required and not _is_given(action, args):
            args += [action.option_strings[-1], value_for(action)]
    wanted = [one for one in parser._actions if not one.option_strings and one.nargs not in ("?", "*")]
    if wanted and not isinstance(wanted[0], argparse._SubParsersAction) and not (args and not args[0].startswith("-")):
        args = [*(value_for(one) for one in wanted), *args]
    return args


def _parse_known_args(self, args=None, namespace=None, **kwargs):
    given = sys.argv[1:] if args is None else list(args)
    start.write("flags", flags=[_described(one) for one in self._actions if one.dest != "help"])
    return _parse(self, _filled(self, given), namespace, **kwargs)


_parse_old = optparse.OptionParser.parse_args


def _parse_args(self, args=None, values=None):
    kinds = {"store": "Store", "store_true": "StoreTrue", "store_false": "StoreFalse"}
    told = [
        {
            "dest": one.dest,
            "flags": [*one._short_opts, *one._long_opts],
            "kind": kinds.get(one.action, "Other"),
            "type": {"string": "str"}.get(one.type, one.type),
            "default": self.defaults.get(one.dest),
            "choices": one.choices,
            "help": one.help or "",
            "nargs": None,
        }
        for one in self.option_list
        if one.dest
    ]
    start.write("flags", flags=json.loads(json.dumps(told, default=str)))
    return _parse_old(self, args, values)


def absl_flags():
    """The flags of ``absl``, as those of ``argparse`` are noted."""
    if "absl.flags" not in sys.modules:
        return []
    known = sys.modules["absl.flags"].FLAGS._flags()
    own = [(name, flag) for name, flag in known.items() if name not in ("help", "helpfull", "helpshort", "helpxml")]
    found = []
    for name, flag in own:
        if name in _OF_ABSL.split() or len(name) == 1:
            continue
        type_name = {"bool": "bool", "int": "int", "float": "float"}.get(flag.flag_type())
        default = flag.default if isinstance(flag.default, (int, float, str, bool, type(None))) else None
        kind = "StoreTrue" if type_name == "bool" else "Store"
        found.append({"dest": name, "flags": [f"--{name}"], "kind": kind, "type": type_name, "default": default})
        found[-1] |= {"choices": getattr(flag.parser, "enum_values", None), "help": flag.help or "", "nargs": None}
    return found


_OF_ABSL = (
    "logtostderr alsologtostderr log_dir v verbosity logger_levels stderrthreshold showprefixforinfo run_with_pdb "
    "pdb_post_mortem pdb run_with_profiling profile_file use_cprofile_for_profiling only_check_args flagfile undefok"
)


def install():
    """Note the flags of this process."""
    argparse.ArgumentParser.parse_known_args = _parse_known_args
    optparse.OptionParser.parse_args = _parse_args
