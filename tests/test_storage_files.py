"""A database that is locked, broken, replaced, unwritable or from the future: a sentence that says what to do, nothing written."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from disks import is_sound, no_bug, refuses, says_busy, small_disk
from running import ROOT, Running, eventually
from scene import KEY, Scene

from bedtime import jobs
from bedtime.db import Database
from bedtime.db.originals import Originals
from bedtime.errors import DatabaseUnusable

HTML = {"Accept": "text/html"}


@pytest.fixture
def closed(household: Callable[..., Running]) -> Running:
    """A house with one story, which was stopped in good order; all of it stands in the one file."""
    house = household()
    assert house.ended(house.asked())["status"] == "completed"
    house.signal(signal.SIGTERM)
    assert house.wait() == 0
    with contextlib.closing(sqlite3.connect(house.folder / "bedtime.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return house


def stories_of(house: Running) -> list[object]:
    return [row["id"] for row in house.rows("SELECT id FROM stories ORDER BY id")]


# --- refused at the start -------------------------------------------------------------------------


def test_a_database_from_a_newer_program_is_not_opened_and_not_written(closed: Running) -> None:
    file = closed.folder / "bedtime.db"
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 999")
    before = file.read_bytes()
    refuses(closed.folder, "has schema 999", "update the program")
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"These are my recipes.\n" * 500, bytes(8192)], ids=["text", "zeros"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "house"
    folder.mkdir(mode=0o700)
    (folder / "bedtime.db").write_bytes(content)
    refuses(folder, "bedtime.db is damaged or not a database", "backup")
    assert (folder / "bedtime.db").read_bytes() == content


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    refuses(tmp_path / "file" / "house", str(tmp_path / "file"), "Not a directory")


def test_a_folder_that_may_only_be_read_is_named(household: Callable[..., Running], tmp_path: Path) -> None:
    with small_disk(tmp_path / "house", mib=16) as disk:
        house = household()
        house.kill()
        disk.read_only()
        refuses(house.folder, str(house.folder), "check who owns it")
        disk.writable()
        house.start()
        assert house.get("/").status_code == 200
        house.kill()


# --- as good as new, or as good as it was ----------------------------------------------------------


def test_a_folder_that_is_missing_is_made_for_its_owner_only(tmp_path: Path) -> None:
    house = Running(tmp_path / "not" / "there")
    house.log = tmp_path / "log"
    with house:
        assert house.ended(house.asked())["status"] == "completed"
        assert house.folder.stat().st_mode & 0o777 == 0o700


def test_an_empty_file_becomes_a_house(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    folder.mkdir(mode=0o700)
    (folder / "bedtime.db").touch()
    with Running(folder) as house:
        assert house.ended(house.asked())["status"] == "completed"
        is_sound(house)


def test_a_log_that_was_deleted_while_the_house_was_stopped_takes_nothing_else_along(closed: Running) -> None:
    closed.start()
    closed.kill()
    for name in ("bedtime.db-wal", "bedtime.db-shm"):
        (closed.folder / name).unlink(missing_ok=True)
    closed.start()
    assert stories_of(closed) == [1] and closed.ended(closed.asked())["status"] == "completed"
    is_sound(closed)
    no_bug(closed)


# --- while it runs --------------------------------------------------------------------------------


def test_a_database_that_another_program_holds_is_read_and_the_wish_comes_in_when_it_lets_go(
    household: Callable[..., Running],
) -> None:
    house = household()
    key = uuid.uuid4().hex
    with contextlib.closing(sqlite3.connect(house.folder / "bedtime.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        says_busy(house.ask(key), "Try again in a few seconds")
        assert [house.get(path, headers=HTML).status_code for path in ("/", "/stories", "/healthz")] == [200] * 3
        other.execute("ROLLBACK")
    answer = house.ask(key)
    assert answer.status_code == 202 and house.ended(answer.json()["job_id"])["status"] == "completed"
    no_bug(house)


def test_a_file_that_is_held_when_the_answer_comes_has_the_story_when_it_is_let_go(tmp_path: Path) -> None:
    """Longer than anybody waits for the lock: the whole answer lies in the spool, and the reaper makes the story of it."""
    with Scene.of(tmp_path, look_seconds=1, reap_seconds=1) as scene:
        scene.house.start(hold_at="call.last_byte")
        job_id = scene.client.ask(KEY)
        scene.hold()
        with contextlib.closing(sqlite3.connect(scene.house.folder / "bedtime.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            scene.let_go()
            eventually(lambda: "database is busy" in scene.house.log.read_text(), what="the end of somebody's patience")
            other.execute("ROLLBACK")
        assert job_id is not None
        scene.let_lease_run_out(job_id)
        assert scene.ended(job_id)["status"] == "completed"
        scene.check()


@pytest.fixture(params=["replaced", "deleted", "folder deleted"])
def robbed(request: pytest.FixtureRequest, household: Callable[..., Running], tmp_path: Path) -> Running:
    """A house that runs while somebody takes its file away."""
    house = household()
    house.ended(house.asked())
    file = house.folder / "bedtime.db"
    if request.param == "replaced":
        shutil.copy(file, tmp_path / "copy.db")
        (tmp_path / "copy.db").replace(file)
    elif request.param == "deleted":
        file.unlink()
    else:
        shutil.rmtree(house.folder.rename(tmp_path / "gone"))  # at one blow: the house may be writing a backup into it
    return house


def test_a_house_whose_file_was_taken_away_accepts_nothing_that_nobody_would_see(robbed: Running) -> None:
    for _ in range(10):  # by threads that knew the file, and by such that did not
        says_busy(robbed.ask(), "The file with the stories cannot be used")
    assert "was replaced while the program runs: stop it and start it again" in robbed.log.read_text()
    no_bug(robbed)


def test_a_log_that_is_deleted_while_the_house_runs_is_not_written_to(database: Database) -> None:
    """What is committed to it would succeed, and be gone after the next start."""
    for _ in range(2):
        with database.transaction("kept") as tx:
            jobs.enqueue(tx, "stories", "write_story", {}, now=1)
    database.path.with_name("bedtime.db-wal").unlink()
    for _ in range(2):
        with pytest.raises(DatabaseUnusable, match=r"-wal was deleted.*start it again"), database.transaction("lost"):
            raise AssertionError("nothing is begun")


def test_a_log_that_is_deleted_in_the_moment_of_a_look_at_its_folder_is_noticed(database: Database) -> None:
    """A file system that tells the time coarsely shows the folder as it was: it is not trusted at once."""
    originals = Originals(database.path, state=lambda folder: (1,))
    inode, log = database.path.stat().st_ino, database.path.with_name("bedtime.db-wal")
    for _ in range(3):
        originals.check(inode)
    log.unlink()
    with pytest.raises(DatabaseUnusable, match="-wal was deleted"):
        originals.check(inode)


def swap_folders(folder: Path) -> None:
    """As somebody does who moves an instance to another disk while it runs."""
    subprocess.run(["cp", "-a", folder, folder.with_name("copy")], check=True)
    folder.rename(folder.with_name("old"))
    folder.with_name("copy").rename(folder)


def replace_with_kept_times(folder: Path) -> None:
    """As programs do that bring back an older copy: the folder's time is set back at the end."""
    times = folder.stat()
    shutil.copy(folder / "bedtime.db", folder / ".new")
    (folder / ".new").rename(folder / "bedtime.db")
    os.utime(folder, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize("take_away", [swap_folders, replace_with_kept_times])
@pytest.mark.parametrize("linked", [False, True])
def test_a_file_that_was_replaced_is_noticed_however_quiet_its_folder_was(
    database: Database, tmp_path: Path, take_away: Callable[[Path], None], linked: bool
) -> None:
    path, inode = database.path, database.path.stat().st_ino
    if linked:
        path = tmp_path / "link.db"
        path.symlink_to(database.path)
    originals = Originals(path, rest_seconds=0.0)
    for _ in range(3):
        originals.check(inode)
    take_away(database.path.parent)
    with pytest.raises(DatabaseUnusable, match="was replaced"):
        originals.check(inode)


def test_writing_looks_at_no_file_that_it_writes(tmp_path: Path) -> None:
    """The next sync of a file whose times were just looked at is dear; the folder changes once, and is quiet then."""
    trace = tmp_path / "trace"
    write = [sys.executable, "-c", WRITES, str(tmp_path / "house")]
    subprocess.run(
        ["strace", "-f", "-y", "-e", "trace=%%stat,fdatasync,fsync", "-o", trace, *write], check=True, cwd=ROOT
    )
    calls = trace.read_text().split("no-such-name")[1].splitlines()
    assert len([call for call in calls if "sync(" in call and "bedtime.db-wal" in call]) == 20
    assert [call for call in calls if "stat" in call and "bedtime.db-wal" in call] == []


WRITES = """
import os, sys
from pathlib import Path
from bedtime import jobs
from bedtime.db import Database, database as module
from bedtime.db.originals import Originals

module.Originals = lambda path: Originals(path, rest_seconds=0.0)
database = Database(Path(sys.argv[1]) / "bedtime.db")
database.open()

def write():
    with database.transaction("kept") as tx:
        jobs.enqueue(tx, "stories", "write_story", {}, now=1)

for _ in range(3):
    write()
os.path.exists("no-such-name")
for _ in range(20):
    write()
os.path.exists("no-such-name")
"""


def test_a_damaged_file_is_refused_at_the_start_and_a_damaged_page_on_the_page_that_needs_it(closed: Running) -> None:
    file = closed.folder / "bedtime.db"
    with contextlib.closing(sqlite3.connect(file)) as db:
        [(page,)] = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'stories'").fetchall()
    spoil(file, page)
    closed.start()
    for path in ("/stories", "/stories/1"):
        says_busy(closed.get(path, headers=HTML), "a grown-up finds what to do in the log")
    assert {closed.get(path, headers=HTML).status_code for path in ("/", "/stories/jobs/1", "/healthz")} <= {200, 503}
    eventually(lambda: "put a backup in its place" in closed.log.read_text(), what="the words in the log")
    no_bug(closed)
    closed.kill()
    for page in range(2, file.stat().st_size // 4096 + 1):
        spoil(file, page)
    refuses(closed.folder, "is damaged or not a database", "put a backup in its place")


def spoil(file: Path, page: int) -> None:
    with file.open("r+b") as damaged:
        damaged.seek((page - 1) * 4096)
        damaged.write(b"\xa5" * 4096)
