"""A short form of `make proof`: a few pairs of crash points, a little chaos, and what its command line understands."""

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest
from running import ROOT
from test_crash import POINTS
from test_mutants import MUTANTS

from proof import chaos, pairs
from proof.fault_list import FAULTS
from proof.faults import judge
from proof.sections import SECTIONS
from proof.table import Line, table

SEED, PAIRS, ROUNDS = 20, 5, 3


@pytest.mark.parametrize("pair", pairs.some_pairs(PAIRS, SEED), ids=str)
def test_two_deaths_lose_nothing_and_buy_nothing_twice(pair: pairs.Pair) -> None:
    assert pairs.try_pair(pair).faults == ()


def test_deaths_under_load_lose_nothing_and_buy_nothing_twice() -> None:
    told = chaos.run(seed=SEED, rounds=ROUNDS)
    assert told.faults == []
    assert told.deaths == ROUNDS and told.jobs >= ROUNDS * chaos.WISHES_A_ROUND and told.evenings == 1, told


def test_every_ordered_pair_of_steps_is_tried() -> None:
    found = {(pair.first, pair.then) for pair in pairs.all_pairs()}
    steps = {point.at for point in POINTS}
    assert {(one, other) for one in steps for other in steps} < found


def test_every_fault_has_a_test_and_one_that_was_not_run_is_told() -> None:
    lines = judge({})
    assert len(lines) == len(FAULTS) > 60
    assert all(line.broken for line in lines), "nothing was run, so nothing holds"


def test_every_test_of_a_fault_exists() -> None:
    files = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "tests").glob("test_*.py")}
    named = {test.partition("[")[0] for tests in FAULTS.values() for test in tests}
    missing = [
        test for test in named if f"def {test.partition('::')[2]}(" not in files.get(test.partition("::")[0], "")
    ]
    assert missing == []


def test_a_fault_that_was_not_withstood_is_a_line_that_fails() -> None:
    line = Line("faults", "drip", 3, "test_outcomes", ["it dripped"])
    said = table([line, Line("faults", "NUL", 1, "test_outcomes")])
    assert "| BROKEN (1) |" in said and "| holds |" in said and "- faults, drip: it dripped" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["chaso"], "there is no section 'chaso': choose from"),
        (["chaso", "--seed", "x"], "--seed is 'x': expected a whole number"),
        (["chaso", "--rounds=0"], "--rounds is '0': expected a whole number"),
        (["chaso", "--point", "mark"], "there is no crash point 'mark': choose from"),
        (["chaso", "--mode", "grumpy"], "the provider has no mode 'grumpy'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_it_does_not_understand_it_says_and_ends_with_2(words: Sequence[str], says: str) -> None:
    done = _proof(words)
    assert done.returncode == 2
    assert says in done.stderr and "Traceback" not in done.stderr


def test_a_program_that_is_missing_is_said_and_the_rest_goes_on(tmp_path: os.PathLike[str]) -> None:
    """A seed that is no number, a section that is not there and no strace: the section that can be run is run."""
    words = ["powerloss", "pears", "pairs", "--pairs", "1", "--seed", "soon"]
    done = _proof(words, PATH=str(tmp_path))
    assert done.returncode == 2, done.stderr
    assert "seed 1" in done.stdout and "strace is not installed" in done.stdout
    assert "| powerloss | did not run | 0 |  | BROKEN (1) |" in done.stdout
    assert "| pairs |" in done.stdout and "there is no section 'pears'" in done.stderr


def test_its_sections_and_mutants_are_those_that_are_promised() -> None:
    assert list(SECTIONS) == ["pairs", "chaos", "faults", "mutants", "powerloss"]
    assert len(MUTANTS) >= 7


def _proof(words: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "proof", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", **environment},
        capture_output=True,
        text=True,
    )
