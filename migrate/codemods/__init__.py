"""The same rewrites as commands of ``python -m libcst.tool codemod``."""
