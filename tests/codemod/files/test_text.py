import codecs
import encodings
import pkgutil
from contextlib import suppress
from encodings import aliases
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable, Unwritable
from migrate.findings.finding import Span
from tests.cases import cases, each


def refusal(data):
    """The finding for bytes that are refused, which always says where, what and what to do."""
    with pytest.raises(Unreadable) as raised:
        SourceText.decode("a.py", data)
    finding = raised.value.finding
    assert (finding.code, finding.path, finding.error) == ("FT002", "a.py", True)
    assert not finding.message.endswith(".")
    assert finding.help.endswith(".")
    return finding


# There and back again


@each("data", "text")(
    (b"", ""),
    (b"x = 1", "x = 1"),
    (b"x = 1\n", "x = 1\n"),
    (b"x = 1\r\ny = 2\r\n", "x = 1\r\ny = 2\r\n"),
    (b"x = 1\ry = 2\r", "x = 1\ry = 2\r"),
    (b"a\r\nb\nc\rd\n\r\n\re", "a\r\nb\nc\rd\n\r\n\re"),
    (b"\x0cclass A:\n\tpass\x0b \t \n\x1a\x1c\x1d", "\x0cclass A:\n\tpass\x0b \t \n\x1a\x1c\x1d"),
    ("é = '\u2028\u2029\x85'\n".encode(), "é = '\u2028\u2029\x85'\n"),
    (codecs.BOM_UTF8, ""),
    (codecs.BOM_UTF8 + b"x = 1\r\n", "x = 1\r\n"),
    (codecs.BOM_UTF8 * 2 + b"x\n", "\ufeffx\n"),
    (codecs.BOM_UTF8 + b"# coding: utf-8\n", "# coding: utf-8\n"),
    (b"# -*- coding: latin-1 -*-\n# \xe9\n", "# -*- coding: latin-1 -*-\n# é\n"),
    (b"#!/usr/bin/python\r# vim: set fileencoding=cp1252 :\r# \x80\r", None),
    (b"\n# coding=koi8-r\n# \xc6\n", "\n# coding=koi8-r\n# ф\n"),
    (b"# coding: gbk\n# \xc4\xe3\n", "# coding: gbk\n# 你\n"),
    (b"# coding: euc_jp\n# \xa4\xa2\n", "# coding: euc_jp\n# あ\n"),
    (b"# coding: ascii\nx = 1\n", "# coding: ascii\nx = 1\n"),
)
def test_the_text_stands_as_it_is_and_goes_back_byte_for_byte(data, text):
    source = SourceText.decode("a.py", data)
    assert text is None or source.text == text
    assert source.encode() == data


pieces = st.sampled_from([b"x = 1", b"\n", b"\r\n", b"\r", b"\x0c", "é".encode(), b"\xe9", b"\xa4\xa2", b" ", b"#"])
names = st.sampled_from(
    ["utf-8", "latin-1", "cp932", "shift_jis", "iso2022_jp", "big5", "gbk", "utf-7", "utf-16-le", "unicode_escape"]
)
cookies = st.sampled_from([b"", codecs.BOM_UTF8]) | names.map(lambda name: f"#\n# coding: {name}\r\n".encode())


@settings(derandomize=True, deadline=None)
@given(cookies, st.lists(pieces).map(b"".join) | st.binary())
def test_whatever_can_be_decoded_goes_back_byte_for_byte(cookie, rest):
    try:
        source = SourceText.decode("a.py", cookie + rest)
    except Unreadable:
        return
    assert source.encode() == cookie + rest


CODECS = sorted({module.name for module in pkgutil.iter_modules(encodings.__path__)} | set(aliases.aliases))
TEXTS = (
    b"x = 'a..b'\n", b"x = 1\n" + b"a" * 100 + b"..x\n", b"# \xe9\n", b"# \xff\xfe\n", b"\x00", b"+AGE-", b"\x1b$B",
    b"~{", b"xn--\n", b"x = '\\ud800'\n", b"\x80" * 7,
)  # fmt: skip


def test_no_codec_of_python_makes_more_than_a_refusal_of_one_file():
    for codec, text in product(CODECS, TEXTS):
        data = f"# coding: {codec}\n".encode() + text
        try:
            source = SourceText.decode("a.py", data)
        except Unreadable:
            continue
        assert source.encode() == data, codec
        with suppress(Unwritable):
            source.encode("x = '€\ud800'\n" + "a" * 70 + "..")


def test_a_new_text_keeps_encoding_and_byte_order_mark():
    assert SourceText.decode("a.py", codecs.BOM_UTF8 + b"x\n").encode("é\n") == codecs.BOM_UTF8 + "é\n".encode()
    latin = SourceText.decode("a.py", b"# coding: latin-1\n")
    assert latin.encode(latin.text + "é\n") == b"# coding: latin-1\n\xe9\n"


def test_an_empty_text_is_not_taken_for_no_text():
    assert SourceText.decode("a.py", b"x = 1\n").encode("") == b""


def test_a_new_text_that_the_encoding_lacks_is_refused_and_not_mangled():
    source = SourceText.decode("a.py", b"# coding: latin-1\n")
    with pytest.raises(Unwritable) as raised:
        source.encode("# 10 → 20\n")
    finding = raised.value.finding
    assert (finding.code, finding.error) == ("FT005", True)
    assert finding.message == r"'\u2192' is not in iso8859-1, the encoding that the file names"


# What is known about a text


test_the_encoding_is_that_of_the_cookie_where_python_reads_it = cases(
    lambda data: SourceText.decode("a.py", data).encoding
)(
    (b"x = 1\n", "utf-8"),
    (b"# coding: UTF8\n", "utf-8"),
    (b"# -*- coding: utf-8-unix -*-\n", "utf-8"),
    (b"# -*- coding: Latin_1-dos -*-\n", "iso8859-1"),
    (b"# vim: set fileencoding=cp1252 :\n", "cp1252"),
    (b"\x0c \t# coding: latin-1\n", "iso8859-1"),
    (b"#!/usr/bin/python\n# coding: latin-1\n", "iso8859-1"),
    (b"# coding: latin-1\n# coding: utf-8\n", "iso8859-1"),
    (b"import os\n# coding: latin-1\n", "utf-8"),
    (b"#\n#\n# coding: latin-1\n", "utf-8"),
    (b"#\r#\r# coding: latin-1\r", "utf-8"),
    (b"x = 'coding: latin-1'\n", "utf-8"),
)

test_new_lines_end_as_most_lines_do = cases(lambda data: SourceText.decode("a.py", data).newline)(
    (b"", "\n"),
    (b"x", "\n"),
    (b"a\nb\n", "\n"),
    (b"a\r\nb\r\n", "\r\n"),
    (b"a\rb\r", "\r"),
    (b"a\r\nb\nc\r\n", "\r\n"),
    (b"a\r\nb\nc\n", "\n"),
    (b"a\r\nb\n", "\n"),
)


def test_lines_are_what_python_counts_as_lines():
    assert SourceText.decode("a.py", b"a\x0cb\r\nc\x0bd\re\x1c\nf").lines() == ["a\x0cb", "c\x0bd", "e\x1c", "f"]


# What is refused, and how it is said


def test_latin_1_without_a_cookie_is_told_with_the_cookie_to_write():
    assert "# -*- coding: latin-1 -*-" in refusal(b"x = 1\r\n# caf\xe9\r\n").help


@each("data", "message", "span")(
    (b"x = 1\n# caf\xe9\n", "byte 0xe9 is not UTF-8, and the file names no other encoding (line 2)", Span(2, 5, 2, 6)),
    (b"#\n# coding: cp1252\nx = '\x81'\n", "byte 0x81 is not cp1252, the encoding that the file names (line 3)",
     Span(3, 5, 3, 6)),
    ("# ü€ ".encode() + b"\xe9\n", "", Span(1, 5, 1, 6)),  # columns are characters, not bytes
    (codecs.BOM_UTF8 + "# ü€ ".encode() + b"\xe9\n", "", Span(1, 5, 1, 6)),
    (b"x = 1\n# \xe2\x82", "", Span(2, 2, 2, 3)),  # half a character at the end
    (b"x = 1\ny = '\0'\n", "holds a NUL byte (line 2)", Span(2, 5, 2, 6)),
    (codecs.BOM_UTF8 + b"# coding: latin-1\n",
     "names the encoding latin-1, but starts with the byte order mark of UTF-8 (line 1)", None),
    ("x = 1\n".encode("utf-16"), "starts with the byte order mark of UTF-16", None),
    *((f"\n# coding: {name}\n".encode(), f"names the encoding {name}, which Python does not know (line 2)",
       Span(2, 10, 2, 10 + len(name))) for name in ("klingon", "rot13", "hex", "undefined")),
)  # fmt: skip
def test_what_cannot_be_decoded_is_told_with_its_place(data, message, span):
    finding = refusal(data)
    assert message in ("", finding.message)
    assert span in (None, finding.span)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_that_do_not_hold_ascii(encoding):
    refusal("import tensorflow\n".encode(encoding))


@each("data")(b"# coding: utf-7\n# +AGE-\n", b"# coding: iso2022_jp\n# \x1b(B\n", b"# coding: utf-16-le\n")
def test_text_that_could_not_be_written_back_as_it_is(data):
    assert refusal(data).message.endswith("in which it could not be written back as it is")
