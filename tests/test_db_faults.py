"""What the machine does to the file: full, read-only, replaced, damaged, newer; and what a fork does to its locks."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_db import add, pending

from bedtime import lettering
from bedtime.db import Connection, Database, migrations
from bedtime.errors import DatabaseBusy, DatabaseUnusable

ROOT = Path(__file__).parent.parent
NOBODY = 65534


def script(text: str, *arguments: object) -> str:
    """What a Python process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", text, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def tree(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "write.lock"}


def fill(database: Database) -> None:
    """Write, 50 rows a transaction, until no more fits."""
    for _ in range(1000):
        with database.transaction("add") as tx:
            for _ in range(50):
                add(tx)


# --- who may not use it ---------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_newer_schema_is_refused_and_not_a_byte_is_written(tmp_path: Path, mode: str) -> None:
    newer = sqlite3.connect(tmp_path / "bedtime.db")
    newer.execute(f"PRAGMA journal_mode = {mode}")
    newer.execute("CREATE TABLE tomorrow (id INTEGER)")
    newer.execute("PRAGMA user_version = 900")
    newer.commit()
    newer.close()
    before = tree(tmp_path)
    database = Database(tmp_path / "bedtime.db")
    with pytest.raises(DatabaseUnusable, match=r"has schema 900.*update the program"):
        database.open()
    database.close()
    assert tree(tmp_path) == before


def test_a_file_of_another_program_is_refused_and_not_a_byte_is_written(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "bedtime.db")
    other.execute("CREATE TABLE recipes (id INTEGER)")
    other.close()
    before = tree(tmp_path)
    database = Database(tmp_path / "bedtime.db")
    with pytest.raises(DatabaseUnusable, match="another program"):
        database.open()
    database.close()
    assert tree(tmp_path) == before


def test_a_file_that_is_no_database_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "bedtime.db").write_bytes(b"Dear diary, " * 1000)
    before = tree(tmp_path)
    database = Database(tmp_path / "bedtime.db")
    with pytest.raises(DatabaseUnusable, match=r"not a database.*backup"):
        database.open()
    assert tree(tmp_path) == before


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    (tmp_path / "bedtime.db").touch()
    database = Database(tmp_path / "bedtime.db")
    database.open()
    assert pending(database) == 0
    database.close()


@pytest.mark.parametrize("name", ["bedtime.db", "write.lock", ""])
def test_something_else_that_stands_in_its_place_is_named(tmp_path: Path, name: str) -> None:
    """A folder where the file or its lock should be; a file where the folder should be."""
    folder = tmp_path / "instance"
    if name:
        (folder / name).mkdir(parents=True)
    else:
        folder.touch()
    with pytest.raises(DatabaseUnusable, match=r"instance.*check who owns it"):
        Database(folder / "bedtime.db").open()


READ_ONLY = """
import os, sys
from pathlib import Path
from bedtime.db import Database
from bedtime.errors import DatabaseUnusable
if os.geteuid() == 0:
    os.seteuid(65534)  # modes do not refuse root, so be somebody else
try:
    Database(Path(sys.argv[1])).open()
except DatabaseUnusable as error:
    print(error)
"""


@pytest.mark.parametrize(("file", "folder"), [(0o444, 0o777), (0o000, 0o777), (0o666, 0o555), (0o666, 0o000)])
def test_a_file_or_a_folder_that_may_not_be_written_is_named(file: int, folder: int) -> None:
    with tempfile.TemporaryDirectory() as place:  # not tmp_path, whose parents are closed to others
        Path(place).chmod(0o755)
        path = Path(place) / "instance" / "bedtime.db"
        database = Database(path)
        database.open()
        database.close()
        path.with_name("write.lock").chmod(0o666)
        path.chmod(file)
        path.parent.chmod(folder)
        said = script(READ_ONLY, path)
        path.parent.chmod(0o755)
    assert "check who owns it and its folder, and their modes" in said


def test_the_file_and_all_beside_it_are_for_nobody_else(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        database = Database(tmp_path / "instance" / "bedtime.db")
        database.open()
        with database.transaction("add") as tx:
            add(tx)
    finally:
        os.umask(mask)
    modes = {
        path.name: path.stat().st_mode & 0o077 for path in [tmp_path / "instance", *(tmp_path / "instance").iterdir()]
    }
    database.close()
    assert modes == dict.fromkeys(["instance", "bedtime.db", "bedtime.db-wal", "bedtime.db-shm", "write.lock"], 0)


# --- while it runs --------------------------------------------------------------------------------


@pytest.mark.parametrize("gone", [True, False])
def test_a_file_that_was_replaced_while_we_run_is_not_written_to(
    database: Database, tmp_path: Path, gone: bool
) -> None:
    """Writes into the old inode would succeed, and nobody would ever see them."""
    with database.transaction("add") as tx:
        add(tx)
    if gone:
        database.path.unlink()
    else:
        shutil.copy(database.path, tmp_path / "other.db")
        (tmp_path / "other.db").replace(database.path)
    with pytest.raises(DatabaseUnusable, match=r"was replaced.*start it again"), database.transaction("add"):
        pass


def test_a_full_disk_refuses_what_comes_and_loses_nothing_that_was_accepted(database: Database) -> None:
    with database.reading() as db:
        db.execute("PRAGMA max_page_count = 80").fetchall()
    with pytest.raises(DatabaseBusy, match="disk is full"):
        fill(database)
    with database.reading() as db:
        db.execute("PRAGMA max_page_count = 800").fetchall()
    accepted = pending(database)
    assert accepted and accepted % 50 == 0, "each transaction is whole, or not there"
    with database.transaction("add") as tx:
        add(tx)
    assert pending(database) == accepted + 1


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[bool]:
    """A file system of its own at `folder`, where we may mount one; else the folder as it is (False)."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True, check=False
    )
    try:
        yield mounted.returncode == 0
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_disk_that_is_really_full_is_still_read_and_takes_up_again_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", "1m") as is_small:
        database = Database(tmp_path / "small" / "bedtime.db")
        database.open()
        ballast = tmp_path / "small" / "ballast"
        ballast.write_bytes(bytes(300_000))
        if not is_small:
            with database.reading() as db:
                db.execute("PRAGMA max_page_count = 120").fetchall()
        with pytest.raises(DatabaseBusy, match="disk is full"):
            fill(database)
        accepted = pending(database)
        ballast.unlink()
        with database.reading() as db:
            db.execute("PRAGMA max_page_count = 100000").fetchall()
        with database.transaction("add") as tx:
            add(tx)
        assert pending(database) == accepted + 1
        database.close()


def test_a_checkpoint_that_finds_no_room_does_not_say_that_a_commit_failed(tmp_path: Path) -> None:
    """The WAL has room from before; only the file itself cannot grow any more."""
    with small_disk(tmp_path / "small", "64m") as is_small:
        database = Database(tmp_path / "small" / "bedtime.db")
        database.open()
        for _ in range(1000):
            with database.transaction("add") as tx:
                for _ in range(5):
                    add(tx)
        if is_small:
            with contextlib.suppress(OSError), (tmp_path / "small" / "ballast").open("wb", buffering=0) as ballast:
                while True:
                    ballast.write(bytes(4096))
        for _ in range(1000):
            with database.transaction("add") as tx:
                add(tx)
        assert pending(database) == 6000
        database.close()


# --- steps of the schema --------------------------------------------------------------------------


def test_a_file_of_the_last_schema_is_brought_up_to_date_with_a_copy_beside_it(tmp_path: Path) -> None:
    *earlier, (newest, _) = migrations.steps()
    old = sqlite3.connect(tmp_path / "bedtime.db")
    old.create_function("findable", 1, lettering.findable)
    for number, step in earlier:
        old.executescript(step.read_text(encoding="utf-8"))
        old.execute(f"PRAGMA user_version = {number}")
    old.close()
    database = Database(tmp_path / "bedtime.db")
    database.open()
    with database.reading() as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == newest
    database.close()
    copies = [(path.name, path.stat().st_mode & 0o777) for path in tmp_path.glob("backups/*.db")]
    assert copies == [(f"before-schema-{newest}.db", 0o600)] * bool(earlier)


def test_a_step_that_breaks_off_leaves_the_schema_as_it_was(tmp_path: Path) -> None:
    def observe(point: str) -> None:
        if point == f"migrate.step_{migrations.steps()[-1][0]}":
            raise KeyboardInterrupt

    broken = Database(tmp_path / "bedtime.db", observe=observe)
    with pytest.raises(KeyboardInterrupt):
        broken.open()
    with broken.reading() as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == migrations.steps()[-1][0] - 1
    broken.close()
    again = Database(tmp_path / "bedtime.db")
    again.open()
    assert pending(again) == 0
    again.close()


def test_two_processes_that_start_at_once_make_one_schema(tmp_path: Path) -> None:
    text = "import sys; from pathlib import Path; from bedtime.db import Database; Database(Path(sys.argv[1])).open()"
    command = [sys.executable, "-c", text, str(tmp_path / "instance" / "bedtime.db")]
    processes = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    assert [(process.communicate(timeout=60)[1], process.returncode) for process in processes] == [("", 0)] * 4


# --- forks ----------------------------------------------------------------------------------------

FORKED = """
import os, signal, sys, threading
from pathlib import Path
from bedtime import jobs
from bedtime.db import Database
from bedtime.errors import DatabaseBusy

database = Database(Path(sys.argv[1]), lock_seconds=1.0)
database.open()

def add():
    with database.transaction("add") as tx:
        jobs.enqueue(tx, "book", "count", {}, now=1.0)

def fork(child):
    pid = os.fork()
    if pid == 0:
        try:
            child()
            os._exit(0)
        finally:
            os._exit(1)
    return pid

add()
"""

KEEPS_COMMITS = """
import subprocess

look = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM jobs').fetchall()"
ready, go = os.pipe()

def child():
    os.read(ready, 1)
    add()
    subprocess.run([sys.executable, "-c", look, sys.argv[1]], check=True)
    for _ in range(2):
        add()

pid = fork(child)
database.close()
os.write(go, b".")
print(os.waitpid(pid, 0)[1])
"""

KEEPS_APART = """
(ready, tell_ready), (go, tell_go) = os.pipe(), os.pipe()

def child():
    with database.transaction("add") as tx:
        os.write(tell_ready, b".")
        os.read(go, 1)

pid = fork(child)
os.read(ready, 1)
try:
    add()
    print("both wrote at once")
except DatabaseBusy as error:
    print("another process is writing" in str(error))
os.write(tell_go, b".")
print(os.waitpid(pid, 0)[1])
"""

OUTLIVES = """
import os, signal, sys, threading
from pathlib import Path
from bedtime.db.lock import WriteLock

lock = WriteLock(Path(sys.argv[1]), timeout_seconds=1.0)
alive, held_by_parent = os.pipe()
inside = threading.Event()

def hold():
    with lock:
        inside.set()
        threading.Event().wait()

threading.Thread(target=hold, daemon=True).start()
inside.wait()
if os.fork() == 0:
    os.close(held_by_parent)
    lock.start_afresh()
    os.read(alive, 1)
    with lock:
        print("held", flush=True)
    os._exit(0)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_forked_child_commits_is_there_for_all_when_the_parent_has_closed_and_others_have_looked(
    tmp_path: Path,
) -> None:
    assert script(FORKED + KEEPS_COMMITS, tmp_path / "bedtime.db") == "0"
    database = Database(tmp_path / "bedtime.db")
    database.open()
    assert pending(database) == 4
    database.close()


def test_parent_and_child_do_not_write_at_once(tmp_path: Path) -> None:
    assert script(FORKED + KEEPS_APART, tmp_path / "bedtime.db").split() == ["True", "0"]


def test_a_child_does_not_keep_the_lock_of_a_parent_that_was_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OUTLIVES, str(tmp_path / "write.lock")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        said, _ = process.communicate(timeout=60)
    assert (said, process.returncode) == ("held\n", -9)


def test_a_forgotten_database_is_not_kept_alive_by_its_hooks(tmp_path: Path) -> None:
    text = "\nimport gc, weakref; gone = weakref.ref(database); del database; gc.collect(); print(gone()); os.fork()"
    assert script(FORKED + text, tmp_path / "bedtime.db").split() == ["None"]


def test_a_connection_is_manual(database: Database) -> None:
    with database.reading() as db:
        assert isinstance(db, Connection)
        assert db.isolation_level is None
