"""Recap and cast of a reply, mostly at its end, in whatever way the model marked them; and what a line of marks is."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bedtime.prompt.marks import heading, is_bold

_LABEL = re.compile(
    r"(?P<marks>[\s>#*_•-]*)(?P<kind>recap|summary|cast|characters)[\s*_]*(?:(?P<colon>[:：])[\s*_]*(?P<rest>.*))?",
    re.IGNORECASE,
)
_KINDS = {"recap": "recap", "summary": "recap", "cast": "cast", "characters": "cast"}
_MOST_BLOCKS = 4  # of story between two labels that belong together
_BULLET = re.compile(r"(?:[-*•–]|\d{1,2}[.)]) +")
_NAMED = re.compile(r"\*\*[^*]+(?:[:：] *\*\*|\*\* *[:：–—-])")  # **Mia**: a girl


@dataclass(frozen=True, slots=True)
class Parted:
    """The lines of a reply: the story's, the trailer's two texts, and the lines that came between them and after."""

    story: list[str]
    recap: str = ""
    cast: str = ""
    after: tuple[str, ...] = ()


def part(lines: list[str]) -> Parted:
    """Lines with the trailer taken out; all of them story where there is none.

    A label owns its first block or list, no more; behind the story and a break it owns all before the next label.
    """
    labels = _trailer(lines)
    if not labels:
        return Parted(lines)
    ends = [*labels[1:], len(lines)]
    is_apart = _is_apart(lines, labels[0], labels[-1])
    told = {"recap": "", "cast": ""}
    after: list[str] = []
    for start, end in zip(labels, ends, strict=True):
        content, rest = _owned(lines, start, end)
        if is_apart and end < len(lines):
            content, rest = [*content, *rest], []
        told[_kind(lines[start])] = _joined(content)
        after += [*rest, ""]
    return Parted(lines[: labels[0]], told["recap"], told["cast"], tuple(after))


def is_break(line: str) -> bool:
    """A line of nothing but marks: `***`, `* * *`, `---`, `#`."""
    marks = "".join(line.split())
    return marks == "⁂" or (len(set(marks)) == 1 and marks[0] in "*#_-=~•·—–" and (len(marks) > 2 or marks[0] in "*#"))


def _trailer(lines: list[str]) -> list[int]:
    """The line numbers of its labels: the last of each kind, near each other, after a break or with a recap."""
    found: dict[str, int] = {}
    for at in reversed([at for at, line in enumerate(lines) if _is_label(lines, at, line)]):
        kind = _kind(lines[at])
        if kind in found or (found and _blocks(_owned(lines, at, min(found.values()))[1]) > _MOST_BLOCKS):
            break
        found[kind] = at
    labels = sorted(found.values())
    return labels if labels and ("recap" in found or _after_break(lines, labels[0])) else []


def _is_apart(lines: list[str], first: int, last: int) -> bool:
    """A break before the labels, neither a break nor a heading between them, and less than before them: it is no story."""
    if not _after_break(lines, first) or any(is_break(line) or _begins_anew(line) for line in lines[first + 1 : last]):
        return False
    return _letters(lines[:first]) > _letters(_owned(lines, first, last)[1])


def _begins_anew(line: str) -> bool:
    """A heading, or a line that is bold as a whole: a scene begins, and no entry of a list."""
    return bool(heading(line.strip())) or is_bold(line.strip())


def _letters(lines: Sequence[str]) -> int:
    return sum(len(line.strip()) for line in lines if not is_break(line))


def _is_label(lines: list[str], at: int, line: str) -> bool:
    label = _LABEL.fullmatch(line)
    if not label:
        return False
    return bool(label["colon"]) or "#" in label["marks"] or "*" in label["marks"] or _after_break(lines, at)


def _kind(line: str) -> str:
    label = _LABEL.fullmatch(line)
    assert label
    return _KINDS[label["kind"].lower()]


def _after_break(lines: Sequence[str], at: int) -> bool:
    before = next((line for line in reversed(lines[max(0, at - 5) : at]) if line.strip()), "")
    return is_break(before)


def _blocks(lines: Sequence[str]) -> int:
    bare = ["" if is_break(line) else line.strip() for line in lines]
    return sum(1 for before, line in itertools.pairwise(["", *bare]) if line and not before)


def _owned(lines: list[str], at: int, end: int) -> tuple[list[str], list[str]]:
    """The own text of the label at `at`, and what else stands before `end`."""
    label = _LABEL.fullmatch(lines[at])
    assert label
    return _first_block([label["rest"] or "", *lines[at + 1 : end]])


def _first_block(lines: list[str]) -> tuple[list[str], list[str]]:
    """One block and the items of its list, and what comes after: a dash after a blank line may open speech, too."""
    last = ""
    for at, line in enumerate(lines):
        is_item = _is_item(line.lstrip()) and (_is_item(last) or last.endswith(":"))
        ended = last and not lines[at - 1].strip()
        if (ended and line.strip() and not is_item) or (last and is_break(line)):
            return lines[:at], lines[at:]
        last = line.strip() or last
    return lines, []


def _is_item(line: str) -> bool:
    return bool(_BULLET.match(line) or _NAMED.match(line))


def _joined(lines: list[str]) -> str:
    kept = [line.strip() for line in lines if line.strip() and not is_break(line)]
    bare = [_BULLET.sub("", line, count=1) if _BULLET.match(line) else line for line in kept]
    return ("; " if any(map(_is_item, kept)) else " ").join(bare).replace("**", "").strip("*_ ")
