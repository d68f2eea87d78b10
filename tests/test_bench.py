"""The measurements run: each in a tiny form, so that none can rot. No time is asserted here; docs/benchmarks.md has them."""

import os
import subprocess
import sys

import pytest
from running import ROOT

from bench import __main__ as bench
from bench import evening, idle, latency, peers, queue, web
from bench.measure import machine


def test_the_queue_is_measured_beside_its_own_statements() -> None:
    told = queue.run(queue.Sizes(times=10, claims=10, histories=(0, 100)))
    assert "a request with its job" in told
    assert "claim, then complete" in told
    assert told.count("\n| 100 |") == 2  # with one waiting, and with ten thousand


def test_the_start_of_a_job_is_measured() -> None:
    assert "enqueue to start" in latency.run(10)


def test_an_idle_house_is_measured() -> None:
    assert "% |" in idle.run(0.2)


def test_pages_are_measured_beside_bare_handlers() -> None:
    told = web.run(web.Sizes(stories=20, times=3, rounds=1))
    for what in ("of the bare poll", "of the bare POST", "shelf of 20 stories", "Tonight", "8 clients", "first visit"):
        assert what in told


def test_our_queue_is_measured_as_other_queues_are_and_one_that_is_not_there_is_left_out() -> None:
    told = peers.run(peers.Sizes(jobs=10, repeats=1, waits=3, histories=(100,), queues=("ours", "honker")))
    assert "honker is not installed here: left out." in told
    assert "handed out again at the next start" in told
    assert "run twice" not in told
    assert "was left" not in told


def test_an_evening_is_measured() -> None:
    told = evening.run(evening.Evening(seconds=2.0, pages=2, between_polls=0.1, between_stories=0.5, provider="ok"))
    assert "0 errors" in told
    assert "WAL" in told


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["shelf"], "there is no section 'shelf': choose from queue, latency, idle, web, peers, evening"),
        (["evening", "--minutes", "soon"], "invalid float value: 'soon'"),
        (["evening", "--minutes", "0"], "--minutes is 0: expected more than 0"),
    ],
)
def test_a_section_that_there_is_not_is_told(words: list[str], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        bench.main(words)
    assert stopped.value.code == 2
    assert what in capsys.readouterr().err


def test_the_machine_stands_on_top() -> None:
    assert "load at the start" in machine()
    assert f"Python {sys.version.split()[0]}" in machine()


def test_it_is_run_by_its_name() -> None:
    where = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}  # as the Makefile has it
    command = [sys.executable, "-m", "bench", "--help"]
    done = subprocess.run(command, cwd=ROOT, env=where, capture_output=True, text=True, check=True)
    assert "section" in done.stdout
