"""A command line's mistakes in one line."""

import argparse
import re
from collections.abc import Container, Iterable
from typing import NoReturn

from migrate.settings import suggestion


class Parser(argparse.ArgumentParser):
    """Tells a mistake in one line and where the usage is, which argparse would print whole, with every option."""

    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"unrecognized arguments: (--[\w-]+)", message)
        meant = suggestion(unknown[1], self._option_string_actions) if unknown else ""
        self.exit(2, f"{self.prog}: error: {message}{meant}\n`{self.prog} --help` shows the usage.\n")


def with_values(argv: Iterable[str], options: Container[str]) -> list[str]:
    """Binds the values that themselves look like flags, as in ``--model-dir-flag --model_dir``, to their options."""
    words, bound = [*argv], list[str]()
    while words:
        word = words.pop(0)
        bound.append(f"{word}={words.pop(0)}" if word in options and words else word)
    return bound
