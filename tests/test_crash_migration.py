"""The process dies while the schema moves on: it is the old one or the new one, and a whole copy lies among the backups."""

import sqlite3
from pathlib import Path

import pytest
from running import ROOT
from scene import KEY, Scene
from test_crash import Told
from trees import tree_of

STEPS = sorted(int(path.name[:3]) for path in (ROOT / "bedtime" / "schema").glob("*.sql"))


@pytest.mark.parametrize("step", STEPS)
def test_a_crash_in_a_first_start_leaves_a_schema_that_is_whole(tmp_path: Path, step: int) -> None:
    with Scene.of(tmp_path) as scene:
        scene.start_and_die(f"migrate.step_{step}")
        assert _version(scene.house.folder / "bedtime.db") == step - 1
        scene.restart()
        assert _version(scene.house.folder / "bedtime.db") == STEPS[-1]
        Told().check(scene, scene.ended(scene.repeat()), scene.check())


def test_a_crash_in_a_later_step_keeps_the_old_schema_and_a_copy(tmp_path: Path) -> None:
    newest = STEPS[-1] + 1
    with Scene.of(tmp_path, root=_with_one_step_more(tmp_path / "tree", newest)) as scene:
        scene.house.root = ROOT
        scene.house.start()
        job_id = scene.client.ask(KEY)
        assert job_id and scene.ended(job_id)["status"] == "completed"
        scene.house.kill()
        scene.house.root = tmp_path / "tree"
        scene.start_and_die(f"migrate.step_{newest}")
        copy = scene.house.folder / "backups" / f"before-schema-{newest}.db"
        assert _version(scene.house.folder / "bedtime.db") == _version(copy) == newest - 1
        assert not list(scene.house.folder.rglob("*.part*"))
        assert _one(copy, "SELECT title FROM stories") == "The Lamp Who Came Second"
        assert _one(copy, "PRAGMA integrity_check") == "ok"
        scene.restart()
        assert _version(scene.house.folder / "bedtime.db") == newest
        assert _one(scene.house.folder / "bedtime.db", "SELECT count(*) FROM lanterns") == 1
        Told().check(scene, scene.ended(scene.repeat(job_id)), scene.check())


def _with_one_step_more(root: Path, number: int) -> Path:
    """This tree, and a schema that goes on: a table, a row, a column."""
    tree_of(root)
    step = root / "bedtime" / "schema" / f"{number:03}_lanterns.sql"
    step.write_text(
        "CREATE TABLE lanterns (id INTEGER PRIMARY KEY, colour TEXT NOT NULL) STRICT;\n"
        "INSERT INTO lanterns (colour) SELECT 'orange' FROM stories;\n"
        "ALTER TABLE stories ADD COLUMN lantern INTEGER;\n"
    )
    return root


def _version(path: Path) -> int:
    return int(str(_one(path, "PRAGMA user_version")))


def _one(path: Path, question: str) -> object:
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return db.execute(question).fetchone()[0]
    finally:
        db.close()
