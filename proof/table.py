"""What a section found: a line a fault or a group of them."""

from collections.abc import Sequence
from dataclasses import dataclass

MOST_FAULTS = 20


@dataclass(frozen=True)
class Line:
    """`what` was tried, `tried` so often; `seen` in a few words; what is broken, if anything."""

    section: str
    what: str
    tried: int
    seen: str
    broken: Sequence[str] = ()

    @property
    def verdict(self) -> str:
        return f"BROKEN ({len(self.broken)})" if self.broken else "holds"


def table(lines: Sequence[Line]) -> str:
    """As Markdown; every fault that was found stands below, up to twenty a line."""
    rows = [f"| {line.section} | {line.what} | {line.tried} | {line.seen} | {line.verdict} |" for line in lines]
    below = [f"- {line.section}, {line.what}: {fault}" for line in lines for fault in line.broken[:MOST_FAULTS]]
    head = ["| section | what | tried | seen | verdict |", "|---|---|--:|---|---|"]
    return "\n".join([*head, *rows, *([""] if below else []), *below])
