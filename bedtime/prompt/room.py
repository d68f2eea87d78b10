"""How much room the facts have in a prompt: what a story costs at most hangs on it."""

from collections.abc import Sequence

FACTS_BYTES = 12_000  # a full house in a wide script; usual wishes take a tenth
_CUT = "…"


def fitting(lines: Sequence[str]) -> list[str]:
    """The lines in order, within FACTS_BYTES of UTF-8, line ends included: the long ones are cut, all to one length."""
    longest = _longest([_size(line) for line in lines])
    return [kept for line in lines if (kept := _cut(line, longest))]


def _longest(sizes: Sequence[int]) -> int:
    """The most that each may take, so that all together take no more than there is."""
    left, many = FACTS_BYTES, len(sizes)
    for size in sorted(sizes):
        if size * many > left:
            return left // many
        left, many = left - size, many - 1
    return FACTS_BYTES


def _size(line: str) -> int:
    return len(f"{line}\n".encode())


def _cut(line: str, most: int) -> str:
    if _size(line) <= most:
        return line
    kept = line.encode()[: max(most - _size(_CUT), 0)].decode("utf-8", "ignore")
    return kept and kept + _CUT
