"""How strongly an expression holds together, so that parentheses stand where they are needed and nowhere else."""

import ast

ARGUMENT, OR, COMPARED, SUM, PRODUCT, FACTOR, CALLED = 1, 3, 7, 11, 12, 13, 16
"""What a place asks of an expression: an argument, a side of ``or``, of ``<``, of ``-``, of ``*``, and so on."""

_LOOSE = {
    ast.NamedExpr: 0, ast.Yield: 0, ast.YieldFrom: 0, ast.Lambda: ARGUMENT, ast.IfExp: 2, ast.Compare: 6, ast.Await: 15,
}  # fmt: skip
_OPERATORS = {
    ast.Or: OR, ast.And: 4, ast.Not: 5, ast.BitOr: COMPARED, ast.BitXor: 8, ast.BitAnd: 9, ast.LShift: 10,
    ast.RShift: 10, ast.Add: SUM, ast.Sub: SUM, ast.Pow: 14, ast.UAdd: FACTOR, ast.USub: FACTOR, ast.Invert: FACTOR,
}  # fmt: skip


def strength(node: ast.expr) -> int:
    """The strength of an expression's outermost operator; a name, a call or anything in brackets holds best."""
    if isinstance(node, ast.BoolOp | ast.BinOp | ast.UnaryOp):
        return _OPERATORS.get(type(node.op), PRODUCT)
    return _LOOSE.get(type(node), CALLED)


def stands_alone(text: str) -> bool:
    """Whether an expression's lines, if it has more than one, hold together by its own brackets."""
    if "\n" not in text:
        return True
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True
