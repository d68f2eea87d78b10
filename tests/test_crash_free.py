"""The process dies over a story that costs nothing: from the built-in book, or from a model at home."""

from pathlib import Path

import pytest
from scene import Scene
from test_crash import SLOW

BOOK = ["claim.after_commit@book", "finish.parsed", "finish.before_commit", "finish.after_commit"]


@pytest.mark.parametrize("at", BOOK)
def test_a_tale_of_the_book_is_told_once(tmp_path: Path, at: str) -> None:
    with Scene.of(tmp_path, paid=False) as scene:
        job_id = scene.ask_and_die(at)
        scene.restart()
        assert scene.ended(scene.repeat(job_id))["status"] == "completed"
        file = scene.check()
        assert [story["told_by"] for story in file.stories] == ["book"]
        assert not file.calls and not scene.provider.requests()


FREE = [
    ("call.mid_body:20", SLOW),
    ("spool.synced", "ok"),
    ("refuse.before_commit", "cut_stream"),
    ("refuse.after_commit", "cut_stream"),
]


@pytest.mark.parametrize(("at", "mode"), FREE)
def test_a_model_at_home_is_simply_asked_again(tmp_path: Path, at: str, mode: str) -> None:
    """What costs nothing cannot be bought twice: no grown-up has to decide, and there is one story."""
    with Scene.of(tmp_path, mode=mode, bill_micros=0, price_in=0, price_out=0) as scene:
        job_id = scene.ask_and_die(at)
        scene.provider.set_mode("ok")
        scene.restart()
        assert scene.ended(scene.repeat(job_id))["status"] == "completed"
        file = scene.check()
        assert len(file.stories) == 1 and file.committed_micros == 0
        assert [call["status"] for call in file.calls] == ["refused", "settled"][at == "spool.synced" :]
