import ast
import subprocess
import sys
import time

import pytest

from migrate.files.parse import parse
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.findings.finding import Span
from tests.cases import each


def source(text, path="train.py"):
    return SourceText.decode(path, text.encode())


def refusal(text, path="train.py"):
    """The finding for a text that cannot be parsed, which always says what to do."""
    with pytest.raises(Unreadable) as raised:
        parse(source(text, path))
    finding = raised.value.finding
    assert (finding.code, finding.path, finding.error) == ("FT003", path, True)
    assert not finding.message.endswith(".")
    assert finding.help.endswith(".")
    return finding


# What parses


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_counted_alike_whatever_ends_them(newline):
    tree = parse(source(newline.join(["x = 1", "'''a", "b'''", "", "\x0cy = 2"])))
    assert [node.lineno for node in tree.body] == [1, 2, 5]


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "\x0c\n", "if x:\n    pass"])
def test_odd_but_valid_files_parse(text):
    parse(source(text))


def test_the_encoding_is_settled_before_the_cookie_is_parsed():
    tree = parse(SourceText.decode("a.py", b"# coding: latin-1\nx = '\xe9'\n"))
    assert ast.unparse(tree) == "x = 'é'"


def test_a_file_of_10_megabytes_parses():
    row = f"    ({', '.join(['0.125'] * 20)}, '{'x' * 4860}'),\n"
    text = "import tensorflow as tf\nROWS = [\n" + row * 2_020 + "]\n"
    assert len(text) > 10_000_000
    assert len(parse(source(text)).body) == 2


def test_nothing_is_said_on_stderr_about_the_text():
    program = (
        "from migrate.files.parse import parse; from migrate.files.text import SourceText;"
        r"parse(SourceText.decode('a.py', b'x = \'\\d\'; 1 is 1; assert (x, 1); 1or x'))"
    )
    for strictness in ("-Wdefault", "-Werror"):
        done = subprocess.run([sys.executable, strictness, "-c", program], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


# Syntax errors


@each("text", "message", "span")(
    ("x = 1\ny = = 2\n", "invalid syntax", Span(2, 4, 2, 5)),
    ("# ü\né = 'ü'; x = = 1\n", "invalid syntax", Span(2, 13, 2, 14)),
    ("x = 1\r\n\r\ny = = 2\r\n", "invalid syntax", Span(3, 4, 3, 5)),
    ("x = 1\ry = = 2\r", "invalid syntax", Span(2, 4, 2, 5)),
    ("x = '\x0c'\n\x0cy = = 2\n", "invalid syntax", Span(2, 5, 2, 6)),
    ("\nf(a b)\n", "invalid syntax. Perhaps you forgot a comma?", Span(2, 2, 2, 5)),
    ("x = (\n", "'(' was never closed", Span(1, 4, 1, 5)),
    ("x = 'abc\n", "unterminated string literal (detected at line 1)", Span(1, 4, 1, 5)),
    ("    x = 1\n", "unexpected indent", Span(1, 3, 1, 4)),
    ("if x:\n", "expected an indented block after 'if' statement on line 1", Span(1, 5, 1, 6)),
    ("if x:\n\ty = 1\n        z = 2\n", "inconsistent use of tabs and spaces in indentation", Span(3, 0, 3, 1)),
)
def test_a_syntax_error_says_why_and_where(text, message, span):
    finding = refusal(text)
    assert finding.message == f"syntax error: {message}"
    assert finding.span == span
    assert "2to3" not in finding.help


def test_the_place_of_an_error_is_always_in_the_text():
    for text in ("x = (", "x = (\n", "'''", "'''\n\n", "if x:", "x = [1,\n2\n", "\\", "f'{'", "f'{a b}'", "$"):
        span = refusal(text).span
        lines = source(text).lines()
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert 0 <= span.column <= len(lines[span.line - 1])
        assert (span.line, span.column) < (span.end_line, span.end_column)


# Python 2


@each("line")(
    "print 'loss', loss",
    "print loss",
    "if x: print 'a' % b",
    'exec "x = 1"',
    "exec code in scope",
    "x = `y`",
    "if a <> b: pass",
    "x = ur'caf\\d'",
    "x = 0777",
    "x = 10L",
    "x = 0xFFL",
    "raise ValueError, 'no'",
    "def f(a, (b, c)): pass",
    "f = lambda (a, b): a",
)
def test_python_2_is_sent_to_2to3(line):
    finding = refusal(f"import tensorflow as tf\n{line}\n", path="my train.py")
    assert "2to3 -w 'my train.py'" in finding.help
    assert finding.span.line == 2


def test_tabs_and_spaces_that_only_python_2_could_read_are_told_with_a_remedy_that_works(tmp_path):
    text = "def f(x):\n    if x:\n\treturn 1\n    return 2\n"
    assert "expand --initial" in refusal(text).help
    path = tmp_path / "train.py"
    path.write_text(text)
    expanded = subprocess.run(["expand", "--initial", path], capture_output=True, text=True, check=True).stdout
    assert ast.unparse(parse(source(expanded))) == "def f(x):\n    if x:\n        return 1\n    return 2"


@pytest.mark.parametrize("handler", ["except ValueError, e:", "except (ValueError, os.error), e:"])
def test_an_old_except_is_sent_to_2to3(handler):
    finding = refusal(f"try:\n    f()\n{handler}\n    pass\n")
    assert "2to3 -w train.py" in finding.help
    assert finding.span.line == 3


@each("line")(
    "x = = 'print loss'",
    "x = = 1  # print loss, `a` <> b",
    'x = = "except ValueError, e: it\'s"',
    "def f(print=None) x",
    "printer x",
    "```python",
    "x = 1.0.0777",
    "f(a b), 0, 0x77, 07.5",
)
def test_a_mistake_in_python_3_is_not(line):
    assert "2to3" not in refusal(f"{line}\n").help


# Nesting


@each(
    "expression",
    ids=["parentheses", "lists", "minus", "not", "lambda", "if", "and", "plus", "attribute", "call", "index"],
)(
    "(" * 300 + "1" + ")" * 300,
    "[" * 100_000 + "]" * 100_000,
    "-" * 100_000 + "1",
    "not " * 10_000 + "1",
    "lambda: " * 10_000 + "1",
    "1 if 1 else " * 10_000 + "1",
    "(a and " * 10_000 + "b" + ")" * 10_000,
    "1+" * 150_000 + "1",
    "a" + ".b" * 150_000,
    "f" + "()" * 150_000,
    "a" + "[0]" * 150_000,
)
def test_a_deeply_nested_expression_is_an_error_and_no_crash(expression):
    finding = refusal(f"import os\nx = {expression}\n")
    assert "too deeply" in finding.message or "too many" in finding.message
    assert finding.span.line == 2


def test_deeply_nested_blocks_are_an_error():
    text = "".join(f"{' ' * depth}if x:\n" for depth in range(200)) + " " * 200 + "pass\n"
    assert refusal(text).message == "syntax error: too many levels of indentation"


def test_a_large_file_with_an_error_of_the_compiler_alone_parses():
    parse(source("return 1\nnonlocal x\n" + "x = 'a long line of text'\n" * 5_000))


@pytest.mark.parametrize("line", ["exec '" + "\\'" * 300_000, "print " + "def (" * 150, "lambda " + "( " * 150])
def test_a_long_line_that_is_no_python_is_told_of_at_once(line):
    began = time.process_time()
    with pytest.raises(Unreadable):
        parse(SourceText.decode("a.py", f"{line}\n".encode()))
    assert time.process_time() - began < 5
