"""Text without the characters that no page, database or wire can carry."""

import re

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_LAST_OF_PLANES = "".join(chr(plane + low) for plane in range(0, 0x110000, 0x10000) for low in (0xFFFE, 0xFFFF))
_UNPRINTABLE = re.compile(f"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufeff{_LAST_OF_PLANES}]")


def clean(text: str, *, instead: str = "") -> str:
    """`text` with newlines as line ends, and `instead` of control characters, noncharacters and lone surrogates."""
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _UNPRINTABLE.sub(instead, _LINE_ENDS.sub("\n", paired))
