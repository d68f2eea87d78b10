"""Every fault that is promised to do no harm, and the tests that show it: run together, a line each."""

from collections.abc import Mapping

from proof import collected
from proof.fault_list import FAULTS
from proof.table import Line


def run() -> list[Line]:
    """A fault without a test that ran is a line that fails, and so is one whose test was left out."""
    return judge(collected.outcomes(test for tests in FAULTS.values() for test in tests))


def judge(outcomes: Mapping[str, str]) -> list[Line]:
    return [_line(kind, fault, tests, outcomes) for (kind, fault), tests in FAULTS.items()]


def _line(kind: str, fault: str, tests: tuple[str, ...], outcomes: Mapping[str, str]) -> Line:
    ran = {test: [each for each in outcomes if _is(each, test)] for test in tests}
    broken = [f"no such test: {test}" for test, found in ran.items() if not found]
    mine = sorted({each for found in ran.values() for each in found})
    broken += [f"{each}: {outcomes[each]}" for each in mine if outcomes[each]]
    where = sorted({test.partition("::")[0].removesuffix(".py") for test in tests})
    return Line(kind, fault, len(mine), ", ".join(where), broken or ([] if tests else ["there is no test of it"]))


def _is(ran: str, test: str) -> bool:
    return ran == test or ran.startswith(f"{test}[")
