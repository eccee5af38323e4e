"""Changes to a program's text, each by chance: most results are Python, and look as if a person had written them."""

import ast
import io
import re
import tokenize
import warnings

EXPRESSIONS = (
    "None", "0", "-1", "1e6", "True", "x", "FLAGS.steps", "args.n or 7", "a if b else c", "lambda: x", "(yield)",
    "[*a]", "{**a}", "dict(a=1)", "f()", "f(*a, **k)", "f'{x!r:>{w}}'", "b'x'", "'é' 'b'", "'''a\n  b'''", "x[0]",
    "x[1:2, ...]", "not x", "a < b < c", "(y := 3)", "[i for i in x if i]", "{i: j for i, j in x}", "(i for i in x)",
    "os.environ.get('M', 'm')", "tf", "tf.estimator", "tf.estimator.RunConfig()", "config", "model", "estimator",
    "(\n    x  # why\n)", "'{}'.format(x)", "await_", "...", "1_000", "0x1F", "a @ b", "a ** -b", "-x ** 2", "self.x",
)  # fmt: skip
STATEMENTS = (
    "pass", "del x", "x: int = 3", "x = y = z", "global config", "assert x, 'no'", "import os, sys", "x += 1",
    "from tensorflow.python.estimator import estimator as E", "raise ValueError('x')", "print(config)", "return",
    "config = config.replace(save_checkpoints_steps=3)", "tf.enable_eager_execution()", "model = model", "break",
    "estimator.train(input_fn=lambda: data(), steps=1); estimator.evaluate(data)", "with tf.Graph().as_default(): f()",
    "os.environ['TF_CONFIG'] = json.dumps(cluster)", "if x: estimator.train(data)", "class A: x = 1", "await_ = 1",
    "tf.train.Saver().restore(s, tf.train.latest_checkpoint('m'))", "try: f()\nexcept E: pass", "a, *b = c",
)  # fmt: skip
WRAPPERS = (
    "if x:", "for epoch in range(3):", "while True:", "try:", "with tf.device('/cpu:0'):", "def made():", "class C:",
    "with tf.Session() as s, tf.Graph().as_default():", "async def later():", "if TYPE_CHECKING:", "@dec\ndef f(a=1):",
)  # fmt: skip


def mutated(text, chance, seeds):
    """``text`` after one to six changes; a change that would leave no Python is mostly not made.

    Args:
      text: a program.
      chance: where every choice comes from.
      seeds: programs to take foreign statements and expressions from.
    """
    for _ in range(chance.randint(1, 6)):
        changed = chance.choice(_MUTATIONS)(text, chance, seeds)
        if is_python(changed) or chance.random() < 0.02:
            text = changed
    if chance.random() < 0.5:
        text = commented(text, chance)
    return chance.choice(_LAYOUTS)(text) if chance.random() < 0.3 else text


def is_python(text):
    """Whether Python compiles the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "program.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _nodes(text, kind):
    """The nodes of a kind; none where the text is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [node for node in ast.walk(ast.parse(text)) if isinstance(node, kind)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def commented(text, chance):
    """The text with comments ``# c1``, ``# c2`` … behind and above some of its lines."""
    lines = text.split("\n")
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return text
    ends = {token.start[0] for token in tokens if token.type == tokenize.NEWLINE}
    for number in sorted(ends, reverse=True):
        if number <= len(lines) and chance.random() < 0.3 and not lines[number - 1].endswith("\r"):
            lines[number - 1] += f"  # c{number}."
    return "\n".join(lines)


def _chosen(text, chance):
    """The text's lines, the first and the last one of some statement, and its indentation."""
    statements = _nodes(text, ast.stmt)
    if not statements:
        return None
    node = chance.choice(statements)
    lines = text.split("\n")
    decorators = getattr(node, "decorator_list", [])
    first, last = min([node.lineno, *(one.lineno for one in decorators)]) - 1, node.end_lineno or node.lineno
    if last > len(lines):
        return None
    line = lines[first]
    return lines, first, last, line[: len(line) - len(line.lstrip())]


def _indented(text, indent):
    return [indent + line for line in text.split("\n")]


def _of_statement(change):
    """A mutation of some statement; ``change`` takes its lines, its indentation and ``chance``, and gives new lines."""

    def mutation(text, chance, seeds):
        chosen = _chosen(text, chance)
        if chosen is None:
            return text
        lines, first, last, indent = chosen
        return "\n".join(lines[:first] + change(lines[first:last], indent, chance) + lines[last:])

    return mutation


_delete = _of_statement(lambda own, indent, chance: [])
_duplicate = _of_statement(lambda own, indent, chance: own + own)
_insert = _of_statement(lambda own, indent, chance: _indented(chance.choice(STATEMENTS), indent) + own)


def _swap(text, chance, seeds):
    one, other = _chosen(text, chance), _chosen(text, chance)
    if one is None or other is None or one[2] > other[1]:
        return text
    lines = one[0]
    return "\n".join(
        lines[: one[1]] + lines[other[1] : other[2]] + lines[one[2] : other[1]] + lines[one[1] : one[2]]
        + lines[other[2] :]
    )  # fmt: skip


def _splice(text, chance, seeds):
    chosen, foreign = _chosen(text, chance), _chosen(chance.choice(seeds), chance)
    if chosen is None or foreign is None:
        return text
    lines, first, _, indent = chosen
    block = [line.removeprefix(foreign[3]) for line in foreign[0][foreign[1] : foreign[2]]]
    return "\n".join(lines[:first] + [indent + line for line in block] + lines[first:])


@_of_statement
def _wrap(own, indent, chance):
    head = chance.choice(WRAPPERS)
    tail = [f"{indent}finally:", f"{indent}    pass"] if head == "try:" else []
    return [*_indented(head, indent), *("    " + line for line in own), *tail]


def _one_line(text, chance, seeds):
    """Two statements behind one another, or one behind its ``if``."""
    chosen = _chosen(text, chance)
    if chosen is None or chosen[2] - chosen[1] != 1:
        return text
    lines, first, last, indent = chosen
    head = chance.choice(["x = 1; ", "if x: ", "pass; ", "for i in x: ", ""])
    tail = chance.choice(["; y = 2", ";", "", " \\"])
    return "\n".join([*lines[:first], indent + head + lines[first].lstrip() + tail, *lines[last:]])


def _replace_expression(text, chance, seeds):
    spans = list(_spans(text))
    if not spans:
        return text
    start, end = chance.choice(spans)
    new = chance.choice(EXPRESSIONS)
    if chance.random() < 0.4:
        foreign = chance.choice([text, chance.choice(seeds)])
        others = list(_spans(foreign))
        if others:
            begin, stop = chance.choice(others)
            new = foreign[begin:stop]
    return text[:start] + new + text[end:]


def _spans(text):
    """Where the expressions stand in the text."""
    lines = text.split("\n")
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    for node in _nodes(text, ast.expr):
        if node.end_lineno is not None and node.end_lineno <= len(lines):
            start, end = _column(lines, node.lineno, node.col_offset), node.end_col_offset or 0
            yield offsets[node.lineno - 1] + start, offsets[node.end_lineno - 1] + _column(lines, node.end_lineno, end)


def _column(lines, line, byte):
    return len(lines[line - 1].encode()[:byte].decode(errors="ignore"))


def _rename(text, chance, seeds):
    """One name becomes another one of the program, or one that the tool likes to use itself."""
    names = sorted(set(re.findall(r"\b[A-Za-z_]\w*\b", text)))
    if not names:
        return text
    own = ["model", "recovery", "inputs", "net", "manager", "step", "training", "tf", "os", "ModelFn", "dataset", "é"]
    new = chance.choice([*names, *own])
    return re.sub(rf"\b{re.escape(chance.choice(names))}\b", new, text)


def _argument(text, chance, seeds):
    """A keyword more, or one that goes, loses its name or gets another."""
    keywords = list(re.finditer(r"\b(\w+)=(?!=)", text))
    if not keywords:
        return text
    found = chance.choice(keywords)
    name = chance.choice(keywords)[1]
    new = chance.choice(["", f"{name}=", f"{name}={chance.choice(EXPRESSIONS)}, {found[0]}", f"*a, {found[0]}", "**"])
    return text[: found.start()] + new + text[found.end() :]


def _noise(text, chance, seeds):
    """A character lost, doubled or foreign."""
    if not text:
        return text
    at = chance.randrange(len(text))
    return text[:at] + chance.choice(["", text[at] * 2, "\t", "\f", "(", "\\", "é", "#", "\n", '"""']) + text[at + 1 :]


_MUTATIONS = (
    *(_delete, _duplicate, _swap, _insert, _insert, _splice, _splice, _wrap, _one_line, _rename, _argument),
    *(_replace_expression, _replace_expression, _replace_expression, _noise),
)


def _indented_by(unit):
    return lambda text: re.sub("^(    )+", lambda found: unit * (len(found[0]) // 4), text, flags=re.MULTILINE)


_LAYOUTS = (
    _indented_by("  "),
    _indented_by("\t"),
    lambda text: text.replace("\n", "\r\n"),
    lambda text: text.replace("\n", "\r"),
    lambda text: text.rstrip("\n"),
    lambda text: "\n\f\n" + text,
    lambda text: "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n" + text,
    lambda text: text.replace("\n\n", "\n"),
    lambda text: text + "\\\n",
)
