"""A thread that calls a step again and again: it rests, wakes, survives, and stops between two steps."""

import logging
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from running import eventually

from bedtime.errors import DatabaseBusy
from bedtime.loop import Loop


class Steps:
    """A step that does what it was told to do, one after the other, and then finds nothing more."""

    def __init__(self, *does: Callable[[], bool]) -> None:
        self.does = list(does)
        self.steps = 0
        self.rests = 0
        self.loop = Loop("test", self.step, self.rest, monotonic=time.monotonic)

    def step(self) -> bool:
        self.steps += 1
        return self.does.pop(0)() if self.does else False

    def rest(self, wake: threading.Event) -> None:
        self.rests += 1
        wake.wait()


@pytest.fixture
def started() -> Iterator[Callable[..., Steps]]:
    made: list[Steps] = []

    def start(*does: Callable[[], bool]) -> Steps:
        made.append(Steps(*does))
        made[-1].loop.start()
        return made[-1]

    yield start
    for steps in made:
        steps.loop.stop()
        steps.loop.join(10)
        assert not steps.loop.is_alive()


def there_was_work() -> bool:
    return True


def fails(error: Exception) -> Callable[[], bool]:
    def step() -> bool:
        raise error

    return step


def test_it_goes_on_while_there_is_work_and_rests_when_there_is_none(started: Callable[..., Steps]) -> None:
    steps = started(there_was_work, there_was_work)
    eventually(lambda: steps.rests == 1)
    assert steps.steps == 3


def test_it_wakes_when_it_is_called(started: Callable[..., Steps]) -> None:
    steps = started()
    eventually(lambda: steps.rests == 1)
    steps.loop.wake.set()
    eventually(lambda: steps.rests == 2)
    assert steps.steps == 2


def test_a_call_that_comes_while_it_works_is_not_forgotten(started: Callable[..., Steps]) -> None:
    """What was enqueued after the step had looked is found by the next step, without a rest that waits."""
    looked, called = threading.Event(), threading.Event()

    def looks() -> bool:
        looked.set()
        called.wait()
        return False

    steps = started(looks)
    looked.wait()
    steps.loop.wake.set()
    called.set()
    eventually(lambda: steps.steps == 2)


@pytest.mark.parametrize("error", [DatabaseBusy("busy"), ValueError("bad"), MemoryError()])
def test_it_survives_every_error(started: Callable[..., Steps], error: Exception) -> None:
    steps = started(fails(error), there_was_work)
    eventually(lambda: steps.rests == 1)
    assert steps.steps == 3 and steps.loop.is_alive()


def test_a_bug_is_logged_with_its_traceback_but_not_with_its_message(
    started: Callable[..., Steps], caplog: pytest.LogCaptureFixture
) -> None:
    """The message of an exception may quote what a family typed."""
    with caplog.at_level(logging.INFO, logger="bedtime.loop"):
        steps = started(fails(KeyError("Ottoline")))
        eventually(lambda: steps.steps == 2)
    assert "bug=KeyError" in caplog.text and "in step" in caplog.text
    assert "Ottoline" not in caplog.text


def test_it_stops_between_two_steps_and_lets_the_one_that_runs_end(started: Callable[..., Steps]) -> None:
    runs, may_end = threading.Event(), threading.Event()
    ended: list[bool] = []

    def works() -> bool:
        runs.set()
        may_end.wait()
        ended.append(True)
        return True

    steps = started(works, there_was_work)
    runs.wait()
    steps.loop.stop()
    assert steps.loop.is_alive() and not ended
    may_end.set()
    steps.loop.join(10)
    assert (ended, steps.steps, steps.rests) == ([True], 1, 0)


@pytest.mark.parametrize("does", [[], [fails(DatabaseBusy("busy"))]])
def test_it_stops_at_once_when_it_rests_or_waits_after_an_error(
    started: Callable[..., Steps], does: list[Callable[[], bool]]
) -> None:
    steps = started(*does)
    eventually(lambda: steps.rests == 1 or (does and steps.steps == 1))
    steps.loop.stop()
    steps.loop.join(10)
    assert not steps.loop.is_alive()


def test_each_step_is_a_sign_of_life(started: Callable[..., Steps]) -> None:
    steps = started()
    eventually(lambda: steps.rests == 1)
    first = steps.loop.beat_at
    steps.loop.wake.set()
    eventually(lambda: steps.rests == 2)
    assert steps.loop.beat_at > first
