"""The sections of the proof: each says what it tried, what it saw, and what is broken."""

import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trees import change, tree_of

from proof import chaos, faults, mutants, pairs, powerloss
from proof.recording import NoStrace
from proof.table import Line


@dataclass(frozen=True)
class Choice:
    """What was chosen at the command line. No points: all pairs. No modes: those of chaos.MODES. 0 pairs: all."""

    seed: int = 1
    rounds: int = 60
    pairs: int = 0
    points: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()


class ToolMissing(Exception):
    """A section needs a program that is not there."""


def _pairs(choice: Choice) -> list[Line]:
    """All ordered pairs of crash points, or those that begin at the points that were chosen; a line a first point."""
    wanted = pairs.some_pairs(choice.pairs, choice.seed) if choice.pairs else pairs.all_pairs()
    wanted = [pair for pair in wanted if not choice.points or pair.first in choice.points]
    groups: dict[str, list[pairs.Result]] = defaultdict(list)
    for result in pairs.run(wanted):
        groups[result.pair.first].append(result)
    return [_pair_line(first, results) for first, results in groups.items()]


def _pair_line(first: str, results: list[pairs.Result]) -> Line:
    reached = sum(result.reached for result in results)
    broken = [f"{result.pair}: {fault}" for result in results for fault in result.faults]
    return Line(
        "pairs", f"{first}, then another", len(results), f"{reached} reached, {len(results) - reached} not", broken
    )


def _chaos(choice: Choice) -> list[Line]:
    told = chaos.run(seed=choice.seed, rounds=choice.rounds, modes=choice.modes or chaos.MODES)
    seen = (
        f"{told.jobs} jobs, {told.evenings} evenings, {told.bills} bills, {told.stories} stories, {told.deaths} deaths"
    )
    return [Line("chaos", "SIGKILL, SIGSTOP, SIGTERM under load, rounds", told.rounds, seen, told.faults)]


def _faults(choice: Choice) -> list[Line]:
    return faults.run()


def _mutants(choice: Choice) -> list[Line]:
    return mutants.run()


def _powerloss(choice: Choice) -> list[Line]:
    """Of the product; and of a copy that does not sync its commits, which must be seen."""
    try:
        told = powerloss.run(seed=choice.seed)
        with tempfile.TemporaryDirectory() as folder:
            root = tree_of(Path(folder) / "tree")
            change(root, "bedtime/db/connection.py", "PRAGMA synchronous = FULL", "PRAGMA synchronous = NORMAL")
            spoiled = powerloss.run(seed=choice.seed, modes=powerloss.SHORT, root=root, chance=0.1)
    except NoStrace as error:
        raise ToolMissing(str(error)) from error
    missed = [] if spoiled.broken else ["nobody saw that commits were not synced"]
    return [
        Line("powerloss", "the power goes, disks", told.states, _cuts(told), told.broken),
        Line(
            "powerloss",
            "the same without a sync a commit, disks",
            spoiled.states,
            f"{_cuts(spoiled)}: {len(spoiled.broken)} promises seen broken",
            missed,
        ),
    ]


def _cuts(told: powerloss.Told) -> str:
    return f"{told.cuts} cuts, {told.syncs} of them after a sync, {told.different} disks that differ, {told.promises} promises"


SECTIONS: dict[str, Callable[[Choice], list[Line]]] = {
    "pairs": _pairs,
    "chaos": _chaos,
    "faults": _faults,
    "mutants": _mutants,
    "powerloss": _powerloss,
}
