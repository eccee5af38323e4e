"""An argument parser that reports a mistake in one line."""

import argparse
import re
from collections.abc import Container, Iterable
from typing import NoReturn

from migrate.settings import suggestion


class Parser(argparse.ArgumentParser):
    """Reports a mistake and how to see the usage in two lines; argparse would print all of the usage."""

    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"unrecognized arguments: (--[\w-]+)", message)
        meant = suggestion(unknown[1], self._option_string_actions) if unknown else ""
        self.exit(2, f"{self.prog}: error: {message}{meant}\n`{self.prog} --help` shows the usage.\n")


def join_values(argv: Iterable[str], options: Container[str]) -> list[str]:
    """Joins options with values that look like flags themselves: ``--model-dir-flag=--model_dir``."""
    words, joined = [*argv], list[str]()
    while words:
        word = words.pop(0)
        joined.append(f"{word}={words.pop(0)}" if word in options and words else word)
    return joined
