"""The bench is proved: the product is spoiled on purpose, in a copy, and the history checker or the database must say so."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from running import ENDED, eventually
from scene import KEY, Scene
from test_crash import SLOW
from trees import change, tree_of

Change = tuple[str, str, str]  # file, what stands there, what is put in its place


def crash_and_ask_again(scene: Scene, *, at: str) -> None:
    scene.ask_and_die(at)
    scene.restart()
    scene.ended(scene.client.ask(KEY) or 0)


def crash_and_be_refused_by_the_database(scene: Scene) -> None:
    scene.ask_and_die("call.mid_body:5")
    scene.restart()
    eventually(lambda: "call that may have been billed exists already" in scene.house.log.read_text(), what="a refusal")
    assert len(scene.provider.bills()) == 1


def crash_and_wish_for_more_than_the_cap_allows(scene: Scene) -> None:
    scene.ask_and_die("call.mid_body:5")
    scene.restart()
    scene.ended(scene.client.ask("another") or 0)


def die_before_the_wish_is_on_the_disk(scene: Scene) -> None:
    scene.house.start(hold_at="enqueue.before_commit")
    asking = threading.Thread(target=scene.client.ask, args=[KEY])
    asking.start()
    scene.hold()
    asking.join(1.0)  # an answer now would be too early
    scene.house.kill()
    asking.join()
    scene.let_go()
    scene.restart()


def call_off_what_is_almost_told(scene: Scene) -> None:
    scene.house.start(hold_at="finish.parsed")
    job_id = scene.client.ask(KEY)
    scene.hold()
    scene.client.press(job_id or 0, "cancel")
    scene.let_go()
    scene.ended(scene.client.ask("another") or 0)  # told by the same thread, so the first one is done with


mid_body = partial(crash_and_ask_again, at="call.mid_body:5")


@dataclass(frozen=True)
class Mutant:
    """`caught_by` is the number of the promise that the history checker sees broken."""

    name: str
    changes: tuple[Change, ...]
    scenario: Callable[[Scene], None]
    caught_by: int
    settings: tuple[tuple[str, object], ...] = (("mode", SLOW),)


RECOVERY, WRITING, ENDING = (f"bedtime/telling/{name}.py" for name in ("recovery", "writing", "ending"))
REQUEUE: tuple[Change, ...] = (
    (RECOVERY, "    if job.sent_at is None or call is None:\n", "    if True:\n"),
    ("bedtime/jobs/reaping.py", " AND status = 'running' AND sent_at IS NULL\n", " AND status = 'running'\n"),
    (
        "bedtime/jobs/reaping.py",
        "SET failures = failures + 1, lease",
        "SET failures = failures + 1, sent_at = NULL, lease",
    ),
)
ONE_BILL: Change = (
    "bedtime/schema/001_start.sql",
    "CREATE UNIQUE INDEX calls_one_bill_a_job ON calls (job_id) WHERE status <> 'refused';",
    "",
)
TELL = "storyteller.tell(made.prompt, keep=spool.append, on_text=%s)"
MARK = "            call_id = self._mark(job, storyteller, made, worst_case_micros)\n"
FINISH = '        with parts.database.transaction("finish") as tx:\n'
COMPLETE = "jobs.complete_late(tx, job, now=%s)\n"
ASK = "asking.ask(house.database, wish, key=key, rules=house.rules, now=now, asker=_asker(house, now=now))"
LATER = "asking.ask(house.database, wish, key=key, rules=house.rules, now=now)"
FENCE = "         WHERE id = :id AND attempts = :attempts AND status = 'running'\n"

MUTANTS = [
    # The partial UNIQUE index refuses the second call, so nothing is bought; the job that hangs is what is seen.
    Mutant("requeue what was sending", REQUEUE, crash_and_be_refused_by_the_database, caught_by=1),
    Mutant("requeue what was sending, no index", (*REQUEUE, ONE_BILL), mid_body, caught_by=2),
    Mutant(
        "no mark before the send",
        ((WRITING, TELL % "noting", "pass"), (WRITING, MARK, f"            {TELL % 'len'}\n{MARK}")),
        mid_body,
        caught_by=2,
    ),
    Mutant(
        "unknown counted as free, by the cap",
        (
            (
                "bedtime/ledger/looking.py",
                "'sending', 'received', 'unknown', 'settled'",
                "'sending', 'received', 'settled'",
            ),
        ),
        crash_and_wish_for_more_than_the_cap_allows,
        caught_by=5,
        settings=(("mode", SLOW), ("cap_micros", 20_000)),
    ),
    Mutant(
        "unknown counted as free, in the ledger",
        (("bedtime/ledger/calls.py", "SET status = 'unknown'", "SET status = 'refused'"),),
        mid_body,
        caught_by=5,
    ),
    Mutant(
        "answer 202 before COMMIT",
        (
            ("bedtime/web/stories.py", f"asked = {ASK}", "asked = asking.Asked(1, replayed=False)"),
            (
                "bedtime/web/stories.py",
                'house.observe("enqueue.after_answer")',
                f'__import__("threading").Thread(target=lambda: {LATER}).start()',
            ),
        ),
        die_before_the_wish_is_on_the_disk,
        caught_by=1,
        settings=(),
    ),
    Mutant(
        "story and status in two transactions",
        (
            (ENDING, COMPLETE % "now", "pass\n"),
            (ENDING, FINISH, f"{FINISH}            {COMPLETE % 'parts.clock()'}{FINISH.replace('finish', 'story')}"),
        ),
        partial(crash_and_ask_again, at="finish.after_commit"),
        caught_by=4,
        settings=(),
    ),
    Mutant(
        "recovery that ignores received",
        (
            (RECOVERY, 'call.status == "received" or _is_whole', "_is_whole"),
            (RECOVERY, "ledger.unfinished(db, given_up)", "[]"),
        ),
        partial(crash_and_ask_again, at="finish.parsed"),
        caught_by=4,
        settings=(),
    ),
    Mutant(
        "complete without the fence",
        (("bedtime/jobs/endings.py", FENCE, "         WHERE id = :id\n"),),
        call_off_what_is_almost_told,
        caught_by=1,
        settings=(("paid", False),),
    ),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "_"))
def test_a_mutant_is_caught(tmp_path: Path, mutant: Mutant) -> None:
    root = tree_of(tmp_path / "tree")
    for file, old, new in mutant.changes:
        change(root, file, old, new)
    with Scene.of(tmp_path, root=root, **dict(mutant.settings)) as scene:  # type: ignore[arg-type]
        mutant.scenario(scene)
        caught = {int(fault.partition(":")[0]) for fault in scene.faults()}
        assert mutant.caught_by in caught, f"nobody saw it: {scene.faults()}"


SOUND = {mutant.scenario: mutant.settings for mutant in MUTANTS if mutant.changes != REQUEUE}


@pytest.mark.parametrize(
    "scenario",
    SOUND,
    ids=lambda scenario: str(getattr(scenario, "keywords", scenario.__name__ if hasattr(scenario, "__name__") else "")),
)
def test_the_product_itself_passes_what_catches_the_mutants(tmp_path: Path, scenario: Callable[[Scene], None]) -> None:
    with Scene.of(tmp_path, **dict(SOUND[scenario])) as scene:  # type: ignore[arg-type]
        scenario(scene)
        assert all(job["status"] in ENDED for job in scene.check().jobs)
