"""The product is spoiled on purpose, each way in a copy: which check saw it."""

from test_mutants import MUTANTS

from proof import collected
from proof.table import Line

_TEST = "test_mutants.py::test_a_mutant_is_caught"
_SOUND = "test_mutants.py::test_the_product_itself_passes_what_catches_the_mutants"
CHECKS = {
    1: "accepted and never lost",
    2: "one job, one bill",
    3: "paid for and kept",
    4: "whole answer, one story",
    5: "money counted, cap held",
    6: "one key, one job",
    8: "a sound file",
}


def run() -> list[Line]:
    outcomes = collected.outcomes([_TEST, _SOUND])
    lines = [_line(mutant.name, mutant.caught_by, outcomes) for mutant in MUTANTS]
    sound = {test: why for test, why in outcomes.items() if test.startswith(_SOUND)}
    broken = [f"{test}: {why}" for test, why in sound.items() if why] or ([] if sound else ["no such test"])
    return [*lines, Line("mutants", "the product itself, in the same scenes", len(sound), "nothing to see", broken)]


def _line(name: str, caught_by: int, outcomes: dict[str, str]) -> Line:
    why = outcomes.get(f"{_TEST}[{name.replace(' ', '_')}]", "no such test")
    seen = f"caught by {caught_by}, {CHECKS[caught_by]}"
    return Line("mutants", name, 1, "not caught" if why else seen, [why] if why else [])
