"""A paid answer that cannot be read, by a fault of ours or of the provider: the story is there, for a grown-up first."""

import html
from pathlib import Path

from scene import Scene
from trees import change, tree_of


def test_an_answer_that_trips_a_fault_of_ours_is_shown_as_it_came_to_a_grown_up_first(tmp_path: Path) -> None:
    root = tree_of(tmp_path / "tree")
    change(root, "bedtime/prompt/reply.py", "    told = unwrap(text)\n", "    told = unwrap(text).no_such_thing\n")
    with Scene.of(tmp_path, root=root) as scene:
        scene.restart()
        job = scene.ended(scene.repeat())
        assert job["status"] == "completed"
        file = scene.check()
        (story,) = file.stories
        assert story["held"] == "as_it_came" and len(story["text"]) > 1000
        page = scene.house.get(job["story_url"], headers={"Accept": "text/html"}).text
        assert "could not be read, and is shown as it came" in page
        assert "bug=AttributeError" in scene.house.log.read_text()


def test_an_answer_of_which_a_part_cannot_be_read_is_a_story_that_a_grown_up_looks_at_first(tmp_path: Path) -> None:
    with Scene.of(tmp_path, mode="bad_escape") as scene:
        scene.restart()
        job = scene.ended(scene.repeat())
        assert job["status"] == "completed"
        (story,) = scene.check().stories
        assert story["held"] == "gap" and "The fox can" in story["text"] and story["text"].endswith("closed its eye.")
        page = html.unescape(scene.house.get(job["story_url"], headers={"Accept": "text/html"}).text)
        assert "a part of the answer could not be read, so something may be missing" in page
