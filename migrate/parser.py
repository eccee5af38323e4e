"""A command line's mistakes in one line."""

import argparse
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Tells a mistake in one line and where the usage is, which argparse would print whole, with every option."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n`{self.prog} --help` shows the usage.\n")
