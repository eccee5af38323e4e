"""Decodes files to text and encodes them again without losing a byte."""

import codecs
import re

from migrate.files.trouble import Unreadable, Unwritable, trouble
from migrate.findings.finding import Finding, Span
from migrate.records import dataclass

__all__ = ["SourceText", "Unreadable"]

# PEP 263: a comment in the first line, or in the second after a blank line or a comment.
_COOKIE = re.compile(rb"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))??[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")
_NEWLINE = re.compile(r"\r\n|\r|\n")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
CELL_BORDER = '"migrate-cell'
"""The start of the statement between two cells in the joined text of a notebook."""


@dataclass(frozen=True)
class SourceText:
    """One Python file as text.

    Attributes:
      text: all of the file, with its line ends, tabs and form feeds, but without a byte order mark.
      encoding: Python's name of its encoding, from its cookie, by default ``utf-8``.
      bom: whether the file starts with a UTF-8 byte order mark.
      newline: the line end of most of its lines, which new lines should have too; ``\\n`` for a single line.
    """

    path: str
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    newline: str = "\n"

    @classmethod
    def decode(cls, path: str, data: bytes) -> "SourceText":
        """Returns the text of a file; raises Unreadable (FT002) for bytes that could not be written back."""
        if data.startswith(_UTF_16):
            help = "Python reads no UTF-16: save the file as UTF-8."
            raise Unreadable(trouble("FT002", path, "starts with the byte order mark of UTF-16", help))
        bom = data.startswith(codecs.BOM_UTF8)
        body = data[len(codecs.BOM_UTF8) :] if bom else data
        cookie = _COOKIE.match(body)
        encoding = _encoding(path, body, cookie, bom)
        if 0 in body:
            raise Unreadable(_bad_byte(path, body, body.index(0), encoding, "holds a NUL byte", "Remove the NUL byte."))
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError as error:
            raise Unreadable(_decoding_error(path, body, error.start, encoding, cookie)) from error
        except Exception as error:  # a codec may raise anything
            raise Unreadable(_encoding_error(path, encoding)) from error
        # Other encodings than UTF-8 may write a text in several ways; without ASCII in them the cookie would not show.
        if encoding != "utf-8" and (
            not _encodes_to(text, encoding, body) or (cookie and cookie[1].decode() not in text)
        ):
            raise Unreadable(_encoding_error(path, encoding))
        return cls(path, text, encoding, bom, _usual_newline(text))

    def encode(self, text: str | None = None) -> bytes:
        """Returns the bytes to write for a new text, or those that were read if that is None.

        Raises:
          Unwritable: FT005, if the file's encoding cannot write the new text.
        """
        try:
            body = (self.text if text is None else text).encode(self.encoding)
        except UnicodeEncodeError as error:
            message = f"{error.object[error.start]!a} is not in {self.encoding}, the encoding that the file names"
            raise Unwritable(trouble("FT005", self.path, message, "Save the file as UTF-8 first.")) from error
        except Exception as error:  # a codec may raise anything: idna does for long words between dots
            message = f"cannot be written in {self.encoding}, the encoding that the file names"
            raise Unwritable(trouble("FT005", self.path, message, "Save the file as UTF-8 first.")) from error
        return codecs.BOM_UTF8 + body if self.bom else body

    def lines(self) -> list[str]:
        """Returns the lines as Python counts them, without their ends; ``str.splitlines`` also breaks at form feeds."""
        return _NEWLINE.split(self.text)


def _encodes_to(text: str, encoding: str, body: bytes) -> bool:
    try:
        return text.encode(encoding) == body
    except Exception:
        return False


def _encoding(path: str, body: bytes, cookie: re.Match[bytes] | None, bom: bool) -> str:
    if cookie is None:
        return "utf-8"
    named = cookie[1].decode("ascii")
    try:
        encoding = codecs.lookup(_strip_line_ends(named)).name
        "".encode(encoding)  # raises for codecs that are no text encodings, such as rot13
    except Exception as error:  # a registered codec may raise anything
        message, help = f"names the encoding {named}, which Python does not know", "Correct the name."
        raise Unreadable(_bad_byte(path, body, cookie.start(1), "ascii", message, help, len(named))) from error
    if bom and encoding != "utf-8":
        message = f"names the encoding {named}, but starts with the byte order mark of UTF-8"
        help = "Remove the byte order mark, or name utf-8."
        raise Unreadable(_bad_byte(path, body, cookie.start(1), "ascii", message, help, len(named)))
    return encoding


def _strip_line_ends(encoding: str) -> str:
    """Returns an encoding without Emacs' suffix for line ends, as in ``utf-8-unix``, which Python ignores too."""
    plain = encoding.lower().replace("_", "-")
    known = ("utf-8", "latin-1", "iso-8859-1", "iso-latin-1")
    return next((name for name in known if plain.startswith(name + "-")), encoding)


def _decoding_error(path: str, body: bytes, offset: int, encoding: str, cookie: re.Match[bytes] | None) -> Finding:
    if cookie:
        message = f"byte 0x{body[offset]:02x} is not {encoding}, the encoding that the file names"
        help = "Correct the name, or save the file in that encoding."
    else:
        message = f"byte 0x{body[offset]:02x} is not UTF-8, and the file names no other encoding"
        help = "Save the file as UTF-8, or name its encoding in the first line: `# -*- coding: latin-1 -*-`."
    return _bad_byte(path, body, offset, encoding, message, help)


def _encoding_error(path: str, encoding: str) -> Finding:
    message = f"names the encoding {encoding}, in which it could not be written back as it is"
    return trouble("FT002", path, message, "Save the file as UTF-8.")


def _bad_byte(path: str, body: bytes, offset: int, encoding: str, message: str, help: str, size: int = 1) -> Finding:
    try:
        before = body[:offset].decode(encoding, "replace")
    except Exception:  # punycode replaces nothing
        before = body[:offset].decode("latin-1")
    *lines_before, line = _NEWLINE.split(before)
    place = len(lines_before) + 1
    span = Span(place, len(line), place, len(line) + size)
    return trouble("FT002", path, f"{message} (line {place})", help, span)


def _usual_newline(text: str) -> str:
    if "\r" not in text:
        return "\n"
    windows = text.count("\r\n")
    count = {"\n": text.count("\n") - windows, "\r\n": windows, "\r": text.count("\r") - windows}
    return max(count, key=lambda newline: count[newline])
