"""Markdown in a reply: what dresses a line goes, and all that stresses words becomes single asterisks. No word is lost."""

import itertools
import re

_QUOTE = re.compile(r"(?:>+(?:\s+|$))+")
_HEADING = re.compile(r"#{1,6}\s+(?=\S)")
_BOLD = re.compile(r"(\*\*|__)(?!\s)[^*_]+\1")
_CLOSING = re.compile(r"(?<=\S)\s{1,20}#{1,20}$")
_ITEM = re.compile(r"(?:[-*+•–]|[0-9]{1,2}[.)])\s+(?=\S)")
_RUN = re.compile(r"(?<!\*)\*{1,3}(?!\*)|(?<!_)_{1,2}(?!_)")  # ___ is a gap to fill in


def unquoted(line: str) -> str:
    """A line without the marks of a quotation, and without spaces around it."""
    text = line.strip()
    return text[quote.end() :] if (quote := _QUOTE.match(text)) else text


def heading(line: str) -> str:
    """The text of a line that is a heading; "" if it is none."""
    mark = _HEADING.match(line)
    return _CLOSING.sub("", line[mark.end() :]) if mark else ""


def is_bold(line: str) -> bool:
    """Whether it is bold as a whole, as headings are that have no other mark."""
    return _BOLD.fullmatch(line) is not None


def is_item(line: str) -> bool:
    """Whether it begins as a line of a list does, or one of speech after a dash."""
    return _ITEM.match(line) is not None


def item(line: str) -> str:
    """A line of a list with a dash, where it had an asterisk."""
    return f"– {line[1:].lstrip()}" if line.startswith("*") and is_item(line) else line


def stressed(text: str, mark: str = "*") -> str:
    """`**x**`, `__x__`, `_x_` and `***x***` with `mark` around x, and no other pair inside. What has no partner stays."""
    runs = list(_RUN.finditer(text))
    shown = [run.group() for run in runs]
    opened: dict[str, int] = {}
    paired: list[int] = []
    for at, run in enumerate(runs):
        start = opened.get(run.group(), -1)
        if start >= 0 and _closes(text, run):
            opened = {other: begun for other, begun in opened.items() if begun < start}
            while paired and paired[-1] > start:
                shown[paired.pop()] = ""
            shown[start] = shown[at] = mark
            paired += [start, at]
        elif _opens(text, run):
            opened[run.group()] = at
    return "".join(itertools.chain.from_iterable(zip(_RUN.split(text), [*shown, ""], strict=True)))


def _opens(text: str, run: re.Match[str]) -> bool:
    before, after = text[max(0, run.start() - 1) : run.start()], text[run.end() : run.end() + 1]
    return bool(after.strip()) and not (run.group()[0] == "_" and before.isalnum())


def _closes(text: str, run: re.Match[str]) -> bool:
    before, after = text[max(0, run.start() - 1) : run.start()], text[run.end() : run.end() + 1]
    return bool(before.strip()) and not (run.group()[0] == "_" and after.isalnum())
