"""`python -m proof [section …] [--seed N] [--rounds N] [--pairs N] [--point NAME] [--mode NAME]`: a table, and whether it holds.

Exit 0: all lines hold. 1: one is broken, or a section could not run. 2: wrong use; what was understood ran all the same.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from nursery import Nursery
from provider_modes import reply
from running import Running

from proof.pairs import points
from proof.sections import SECTIONS, Choice, ToolMissing
from proof.table import Line, table

USE = __doc__.splitlines()[0]


@dataclass
class Asked:
    """What was understood, and what was not."""

    sections: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=lambda: {"points": [], "modes": []})
    wrong: list[str] = field(default_factory=list)
    misnamed: bool = False

    @property
    def choice(self) -> Choice:
        return Choice(**self.numbers, points=tuple(self.names["points"]), modes=tuple(self.names["modes"]))


def main(arguments: list[str]) -> int:
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    asked = read(arguments)
    for wrong in asked.wrong:
        print(wrong, file=sys.stderr)
    if asked.misnamed and not asked.sections:
        return 2
    choice = asked.choice
    print(f"seed {choice.seed}", flush=True)
    with Nursery() as Running.nursery:
        lines = [line for name in asked.sections or SECTIONS for line in _run(name, choice)]
    print(table(lines))
    if asked.wrong:
        return 2
    return int(any(line.broken for line in lines))


def read(arguments: list[str]) -> Asked:
    """Each word by itself: one that is wrong is told, and takes nothing else with it."""
    asked, words = Asked(), iter(arguments)
    for word in words:
        option, _, value = word.partition("=")
        if option in OPTIONS:
            OPTIONS[option](asked, option, value or next(words, ""))
        elif word in SECTIONS:
            asked.sections.append(word)
        else:
            asked.misnamed = True
            asked.wrong.append(f"there is no section {word!r}: choose from {', '.join(SECTIONS)}. {USE}")
    return asked


def _number(asked: Asked, option: str, value: str) -> None:
    if value.isascii() and value.isdigit() and (int(value) > 0 or option == "--seed"):
        asked.numbers[option.removeprefix("--")] = int(value)
    else:
        default = getattr(Choice, option.removeprefix("--"))
        asked.wrong.append(f"{option} is {value!r}: expected a whole number; it goes on with {default}")


def _point(asked: Asked, option: str, value: str) -> None:
    if value in points():
        asked.names["points"].append(value)
    else:
        asked.wrong.append(f"there is no crash point {value!r}: choose from {', '.join(points())}")


def _mode(asked: Asked, option: str, value: str) -> None:
    try:
        reply(value, b"", "")
        asked.names["modes"].append(value)
    except (KeyError, ValueError, TypeError):
        asked.wrong.append(f"the provider has no mode {value!r}: tests/provider_modes.py has them all")


OPTIONS: dict[str, Callable[[Asked, str, str], None]] = {
    "--seed": _number,
    "--rounds": _number,
    "--pairs": _number,
    "--point": _point,
    "--mode": _mode,
}


def _run(name: str, choice: Choice) -> list[Line]:
    begun = time.monotonic()
    print(f"{name} …", file=sys.stderr, flush=True)
    try:
        lines = SECTIONS[name](choice)
    except ToolMissing as error:
        lines = [Line(name, "did not run", 0, "", [str(error)])]
    except Exception as error:
        lines = [
            Line(name, "did not end", 0, "", [f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"])
        ]
    print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
