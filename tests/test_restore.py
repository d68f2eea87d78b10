"""Going back to a backup, drilled: nothing is bought again, no cost is forgotten, nothing that was told since is lost."""

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import history
import pytest
from home import Home
from provider import Provider
from running import ROOT, Running
from scene import Scene
from terminal import flask, said
from witnesses import CAP_MICROS, Client, File, Row, Watch, arrived
from workbench import RULES, Workbench

import bedtime.jobs.carrying
import bedtime.ledger.keeping
import bedtime.library.carrying
from bedtime import accounts, asking, family, household, keeping, lettering, library, settings, wishing
from bedtime.db import Database, migrations
from bedtime.errors import BedtimeError
from bedtime.household import Pairing, Secrets
from bedtime.keeping import carrying, restoring
from bedtime.telling import progress, trust_host

SLOW = "ok@0.02"
TAKEN_OVER = (
    "jobs",
    "calls",
    "children",
    "story_requests",
    "casts",
    "stories",
    "readings",
    "reactions",
    "schedules",
    "planned_evenings",
    "notes",
    "wishes",
)
LEFT = ("queues", "settings", "secrets", "devices", "pairings", "guesses")  # as they are in the backup, or signed out


def state(folder: Path) -> dict[str, str]:
    """Every file of a house, byte for byte; locks hold nothing."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("lock"))
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


# --- the drill ------------------------------------------------------------------------------------


def load(scene: Scene, until: threading.Event) -> list[threading.Thread]:
    """Two clients that ask, one wish after the other, until they are told to stop."""

    def ask(name: str) -> None:
        number = 0
        while not until.is_set():
            number += 1
            if scene.client.ask(f"{name}{number:03}") is None:
                until.wait(0.05)

    threads = [threading.Thread(target=ask, args=(name,)) for name in ("left", "right")]
    for thread in threads:
        thread.start()
    return threads


class Earlier:
    """The provider's ledger as it was at a moment."""

    def __init__(self, provider: Provider) -> None:
        self._bills, self._requests = provider.bills(), provider.requests()

    def bills(self) -> list[Row]:
        return self._bills

    def requests(self) -> list[Row]:
        return self._requests


def run_under_load(scene: Scene, *, until_bills: int) -> tuple[str, Earlier]:
    """Back up while two clients ask; go on until so many were billed, and die in the middle. The backup, and the bills then."""
    scene.restart()
    stop = threading.Event()
    threads = load(scene, stop)
    scene.provider.wait_for(3)
    earlier = Earlier(scene.provider)
    backup = said(flask(scene.house, "backup"), 0).strip()
    scene.provider.wait_for(until_bills)
    scene.house.kill()
    stop.set()
    for thread in threads:
        thread.join()
    scene.arrived.update(arrived(scene.house.folder))
    return backup, earlier


def repeat(scene: Scene, keys: set[str]) -> None:
    """Each of these wishes once more, as from a client that got no answer: the same job, and it has ended."""
    first = {sent.key: sent for sent in scene.client.asked if sent.key in keys}
    for key, sent in first.items():
        job_id = scene.client.ask(key, **sent.fields)
        assert job_id is not None
        scene.ended(job_id)


def test_a_backup_under_load_and_back_to_it_loses_nothing_and_buys_nothing_again(tmp_path: Path) -> None:
    """What came after the backup stands in the database that is replaced: afterwards the three witnesses agree."""
    with Scene.of(tmp_path, mode=SLOW, workers=2, queue_max=1000) as scene:
        backup, _ = run_under_load(scene, until_bills=7)
        bills, before = len(scene.provider.bills()), File.read(scene.house.folder)
        told = said(flask(scene.house, "restore", backup), 0)
        assert "newer stories" in told and "signed out" in told, told
        after = File.read(scene.house.folder)
        assert after.faults == []
        assert {story["id"] for story in after.stories} == {story["id"] for story in before.stories}
        assert after.committed_micros == before.committed_micros
        scene.restart()
        repeat(scene, {request["idempotency_key"] for request in before.requests})
        file = scene.check()
        unsent = [
            job["id"] for job in before.jobs if job["status"] in ("pending", "running") and job["sent_at"] is None
        ]
        codes = {job["id"]: job["error_code"] for job in file.jobs}
        assert unsent and {codes[job_id] for job_id in unsent} == {"restored"}
        assert len(scene.provider.bills()) == bills, "nothing is bought again"


def test_a_backup_under_load_and_back_to_it_on_an_empty_machine(tmp_path: Path) -> None:
    """What came after the backup is gone with the machine; of what was in it nothing is lost, and nothing bought again."""
    with Scene.of(tmp_path, mode=SLOW, workers=2, queue_max=1000) as scene:
        backup, earlier = run_under_load(scene, until_bills=6)
        kept = shutil.copy(backup, tmp_path / "stick.db")
        bills = len(scene.provider.bills())
        scene.watch.stop()
        shutil.rmtree(scene.house.folder)
        assert "no database to replace" in said(flask(scene.house, "restore", str(kept)), 0)
        restored = File.read(scene.house.folder)
        assert restored.faults == [] and len(restored.stories) >= 1
        scene.restart()
        keys = {request["idempotency_key"] for request in restored.requests}
        repeat(scene, keys)
        assert len(scene.provider.bills()) == bills, "nothing is bought again"
        asked = [sent for sent in scene.client.asked if sent.key in keys]
        billed = {sent.key for sent in asked if any(sent.key in bill["body"] for bill in earlier.bills())}
        watch = Watch(scene.house, earlier, cap_micros=CAP_MICROS, bill_micros=0)  # type: ignore[arg-type]
        found = history.faults(Client(scene.house, asked), earlier, watch)  # type: ignore[arg-type]
        assert [fault for fault in found if "belong to no request" not in fault] == []
        file = File.read(scene.house.folder)
        told = {job["id"] for job in file.jobs if job["status"] == "completed"}
        first = {request["idempotency_key"]: request["job_id"] for request in file.requests}
        doubtful = {job["id"] for job in file.jobs if job["error_code"] in ("maybe_billed", "restored")}
        assert all(first[key] in told | doubtful for key in billed)


# --- what comes back, and what is taken over ------------------------------------------------------


class Old(Home):
    """A house with a backup, which then goes on; `go_back` is `flask restore` without the process."""

    def __init__(self, folder: Path, provider: Provider) -> None:
        super().__init__(folder, provider)
        self._provider = provider

    def back_up(self) -> Path:
        return keeping.back_up(self.database, now=self.now).path

    def go_back(self, file: Path, environ: Mapping[str, str] | None = None, **more: Any) -> restoring.Restored:
        self.database.close()
        machine = settings.load({"BEDTIME_INSTANCE": str(self.folder), **(environ or {})}, root=Path())
        done = keeping.restore(machine, file, now=self.now, **more)
        self.start_again()
        return done

    def start_again(self) -> None:
        now = self.now
        Old.__init__(self, self.folder, self._provider)
        self.now = now

    @property
    def folder(self) -> Path:
        return self.database.path.parent

    def one(self, question: str) -> Any:
        with self.database.reading() as db:
            return db.execute(question).fetchone()[0]

    def sound(self) -> bool:
        with self.database.reading() as db:
            return db.execute("PRAGMA integrity_check").fetchone()[0] == "ok" and not (
                db.execute("PRAGMA foreign_key_check").fetchall() or library.not_as_written(db)
            )


@pytest.fixture
def old(tmp_path: Path, provider: Provider) -> Iterator[Old]:
    old = Old(tmp_path / "house", provider)
    yield old
    old.database.close()


def test_stories_that_were_told_after_the_backup_are_taken_over_with_all_that_hangs_on_them(old: Old) -> None:
    mia = old.child("Mia")
    old.told(old.wish(mia))
    backup = old.back_up()
    theo = old.child("Theo", pronouns="he")
    newer = old.told(old.wish(theo, mia))
    with old.database.transaction("test") as tx:
        story_id = library.story_of_job(tx, newer.id)
        assert story_id
        library.read_to(tx, story_id, 2, now=old.now)
        library.react(tx, story_id, "loved_it", now=old.now)
    spent = old.committed()
    done = old.go_back(backup)
    assert (done.carried.what, done.carried.stories, done.carried.calls) == (carrying.EVERYTHING, 1, 1)
    assert old.sound() and old.committed() == spent and old.text(newer.id)
    with old.database.reading() as db:
        assert library.listening_names(db, newer.payload["request_id"]) == ("Theo", "Mia")
        assert library.bookmark(db, story_id) == 2 and library.reactions_to(db, story_id)
        assert story_id in [found.id for found in library.shelf(db, library.Filter(words="Theo"))]
        assert story_id in [found.id for found in library.shelf(db, library.Filter(words="lamp"))]
    assert old.told(old.wish(theo)).status == "completed", "the house goes on"


def test_what_was_deleted_or_changed_since_comes_back_as_it_was(old: Old) -> None:
    mia = old.child("Mia")
    job = old.told(old.wish(mia, idea="a lamp"))
    text, backup = old.text(job.id), old.back_up()
    family.delete_child(old.database, mia.id, with_stories=True, now=old.now)
    assert old.text(job.id) is None
    old.go_back(backup)
    assert old.sound() and old.text(job.id) == text
    with old.database.reading() as db:
        assert library.names_of(db, job.payload["request_id"]) == {1: "Mia"}
        assert library.request_for(db, job.payload["request_id"]).wish.idea == "a lamp"  # type: ignore[union-attr]


def test_a_wish_that_waits_in_the_backup_and_was_told_since_keeps_its_story(old: Old) -> None:
    job_id = old.ask()
    backup = old.back_up()
    assert old.tell() and old.text(job_id)
    old.go_back(backup)
    assert old.sound() and old.job(job_id).status == "completed" and old.text(job_id)
    assert not old.tell()


def test_a_wish_that_waits_is_not_bought_and_may_be_asked_again(old: Old, provider: Provider) -> None:
    job_id = old.ask()
    done = old.go_back(old.back_up())
    assert done.carried.failed == (job_id,)
    job = old.job(job_id)
    assert (job.status, job.error_code) == ("failed", "restored")
    assert not old.tell() and not provider.requests()
    assert old.ask_again(job_id) == job_id + 1


def test_an_evening_that_has_its_story_gets_no_second_one(old: Old, provider: Provider) -> None:
    old.plan(old.child("Mia"), at="17:30", zone="UTC")
    backup = old.back_up()
    old.now += 9 * 3600  # five in the afternoon
    old.plan_step()
    assert old.tell() and len(old.planned()) == 1
    old.go_back(backup)
    old.plan_step()
    assert old.sound() and not old.tell()
    assert len(old.planned()) == len(provider.bills()) == 1


def test_a_plan_that_was_deleted_comes_back_with_the_evening_that_it_had(old: Old, provider: Provider) -> None:
    mia = old.child("Mia")
    deleted, _ = (old.plan(mia, at="17:30", zone="UTC") for _ in range(2))
    backup = old.back_up()
    old.now += 9 * 3600
    old.plan_step()
    while old.tell():
        pass
    newer = old.plan(mia, at="17:30", zone="UTC")
    with old.database.transaction("test") as tx:
        library.delete_schedule(tx, deleted)
        library.delete_schedule(tx, newer)
    old.go_back(backup)
    old.plan_step()
    assert old.sound() and not old.tell()
    assert len(old.planned()) == len(provider.bills()) == 2
    assert old.plan(mia, at="17:30", zone="UTC") == newer + 1, "a number that was given once is not given again"
    old.plan_step()
    assert len(old.planned()) == 3


def test_a_wish_that_was_asked_for_since_is_not_open_any_more(old: Old) -> None:
    mia = old.child("Mia")
    asked, still_open, new = (
        wishing.wish_for(old.database, old.wish(mia, idea=f"{n}"), device_id=None, now=old.now) for n in range(3)
    )
    backup = old.back_up()
    job_id = asking.ask_for(old.database, asked, rules=RULES, now=old.now).job_id
    old.go_back(backup)
    with old.database.reading() as db:
        assert [wished.id for wished in library.open_wishes(db, most=5)] == [still_open, new]
    assert asking.ask_for(old.database, asked, rules=RULES, now=old.now) == asking.Asked(job_id, replayed=True)
    assert old.sound()


def test_every_device_is_signed_out_and_the_passphrase_is_that_of_the_backup(old: Old) -> None:
    with old.database.transaction("test") as tx:
        household.set_first_secrets(tx, Secrets("first", "pin"), now=old.now)
        household.add_device(tx, name="lost tablet", role="reader", key="k", now=old.now)
        household.add_pairing(tx, Pairing("t", "reader", True), code="c", now=old.now)
    backup = old.back_up()
    with old.database.transaction("test") as tx:
        household.renew_secrets(tx, Secrets("second", "pin"), now=old.now)
    old.go_back(backup)
    with old.database.reading() as db:
        assert household.kept_secrets(db) == Secrets("first", "pin")
        assert household.device_of(db, "k", script=False, now=old.now) is None
        assert household.open_pairing(db, "c", now=old.now) is None


Chosen = tuple[str | None, str | None]  # whether names go out, and the cap in micros; None: not chosen


def choose(house: Old, chosen: Chosen) -> None:
    accounts.choose(house.database, dict(zip(("send_names", "monthly_cap_micros"), chosen, strict=True)), now=house.now)


def of_another_house(tmp_path: Path, provider: Provider, chosen: Chosen = (None, None)) -> Path:
    other = Old(tmp_path / "other", provider)
    other.ask()
    choose(other, chosen)
    backup = other.back_up()
    other.database.close()
    return backup


@pytest.mark.parametrize("what", [carrying.EVERYTHING, carrying.SPENDING])
@pytest.mark.parametrize(
    ("in_backup", "in_replaced", "machine", "afterwards"),
    [
        (("yes", "20"), ("no", "1"), "no", ("no", "1")),
        (("no", "1"), ("yes", "20"), "no", ("no", "1")),
        (("yes", "20"), (None, None), "no", ("no", "20")),
        ((None, None), ("no", "1"), "yes", ("no", "1")),
        ((None, None), ("yes", "50000000"), "no", ("no", "5000000")),
        (("no", "1000000"), (None, None), "yes", ("no", "1000000")),
        ((None, None), ("yes", "1000000"), "yes", (None, "1000000")),
        ((None, None), (None, None), "no", (None, None)),
    ],
)
def test_going_back_lets_no_name_out_and_no_more_be_spent_than_either_database_allowed(
    old: Old,
    tmp_path: Path,
    provider: Provider,
    what: str,
    in_backup: Chosen,
    in_replaced: Chosen,
    machine: str,
    afterwards: Chosen,
) -> None:
    """Where one of them chose nothing the machine's setting counts: here a cap of 5.00, and `machine` for the names."""
    if what == carrying.SPENDING:
        backup = of_another_house(tmp_path, provider, in_backup)
    else:
        choose(old, in_backup)
        backup = old.back_up()
    choose(old, in_replaced)
    assert old.go_back(backup, environ={"BEDTIME_SEND_NAMES": machine}).carried.what == what
    with old.database.reading() as db:
        assert (household.choice(db, "send_names"), household.choice(db, "monthly_cap_micros")) == afterwards


def in_another_place(old: Old, provider: Provider) -> Workbench:
    """The same house with the same key, once its storyteller's address has another host."""
    old.database.close()
    return Workbench(old.folder, provider, url=provider.url.replace("127.0.0.1", "localhost"))


@pytest.mark.parametrize("what", [carrying.EVERYTHING, carrying.SPENDING])
def test_a_key_that_was_used_since_the_backup_goes_to_no_other_host(
    old: Old, tmp_path: Path, provider: Provider, what: str
) -> None:
    """Also with a backup of another house, which knows nothing of it."""
    backup = old.back_up() if what == carrying.EVERYTHING else of_another_house(tmp_path, provider)
    old.told()
    assert old.go_back(backup).carried.what == what
    moved = in_another_place(old, provider)
    moved.ask()
    moved.tell()
    assert (moved.paused(), len(provider.requests())) == ("key_host", 1)
    moved.database.close()


def test_a_key_that_a_grown_up_gave_to_another_host_since_stays_there(old: Old, provider: Provider) -> None:
    old.told()
    backup = old.back_up()
    moved = in_another_place(old, provider)
    trust_host(moved.database, moved.parts.storyteller, now=moved.now)
    moved.database.close()
    old.start_again()
    old.go_back(backup)
    old.ask()
    old.tell()
    assert (old.paused(), len(provider.requests())) == ("key_host", 1)


def test_what_was_hidden_stays_hidden(old: Old) -> None:
    old.told()
    backup = old.back_up()
    with old.database.transaction("test") as tx:
        assert library.hide(tx, 1, now=old.now)
    old.go_back(backup)
    assert old.one("SELECT hidden_at FROM stories WHERE id = 1") == old.now


def test_the_replaced_database_is_kept_whole_and_readable(old: Old) -> None:
    backup = old.back_up()
    old.told()
    done = old.go_back(backup)
    assert done.aside and [path.name for path in done.aside.iterdir()] == ["bedtime.db"]
    assert (done.aside / "bedtime.db").stat().st_mode & 0o777 == 0o600
    aside = Database(done.aside / "bedtime.db")
    aside.open()
    with aside.reading() as db:
        assert len(library.story_ids(db)) == 1
    aside.close()
    assert keeping.set_aside(old.folder) == [done.aside]


def test_going_back_twice_counts_nothing_twice(old: Old) -> None:
    backup = old.back_up()
    old.told()
    spent = old.committed()
    for _ in range(2):
        done = old.go_back(backup)
        assert old.committed() == spent and old.sound() and old.one("SELECT count(*) FROM stories") == 1
    assert len(keeping.set_aside(old.folder)) == 2 and done.carried.what == carrying.EVERYTHING


def test_every_column_is_taken_over(database: Database) -> None:
    """A column that a later schema adds has to be named in what is taken over, or is known to stay behind."""
    stays = {("story_requests", "device_id"), ("wishes", "device_id")}  # every device is signed out
    sources = "".join(
        Path(str(module.__file__)).read_text()
        for module in (bedtime.jobs.carrying, bedtime.library.carrying, bedtime.ledger.keeping)
    )
    with database.reading() as db:
        for table in TAKEN_OVER:
            statement = sources.split(f"INSERT INTO {table} (")[1].split(")")[0]
            columns = {row["name"] for row in db.execute("SELECT name FROM pragma_table_info(?)", (table,))}
            named = {name.strip() for name in statement.split(",")} | {name for at, name in stays if at == table}
            assert named == columns, table
        tables = {row["name"] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        assert {name for name in tables if not name.startswith(("sqlite_", "story_words"))} == {*TAKEN_OVER, *LEFT}


# --- another house's backup, and a database that cannot be read -----------------------------------


def test_the_backup_of_another_house_takes_over_what_was_spent_here_and_says_what_is_left(
    old: Old, tmp_path: Path, provider: Provider
) -> None:
    other = Old(tmp_path / "other", provider)
    other.now = old.now - 1000
    other.told(other.wish(other.child("Ida")))
    foreign = other.back_up()
    spent_there = other.committed()
    other.database.close()
    old.told(old.wish(old.child("Mia")))
    spent_here = old.committed()
    done = old.go_back(foreign)
    assert (done.carried.what, done.carried.calls, done.carried.left) == (carrying.SPENDING, 1, 1)
    assert old.sound() and old.committed() == spent_here + spent_there
    job_id = old.one("SELECT id FROM jobs WHERE error_code = 'restored'")
    with old.database.reading() as db:
        view = progress(db, job_id)
    assert view and (view.job.attempts, view.cost_micros) == (0, spent_here), "never claimed here, but paid for"
    old.go_back(foreign)
    assert old.committed() == spent_here + spent_there, "taken over once more it is the same call"


def test_a_damaged_database_is_replaced_and_what_nobody_can_know_is_said(old: Old) -> None:
    old.plan(old.child("Mia"), at="17:30", zone="UTC")
    backup = old.back_up()
    old.told()
    spool = old.folder / "spool" / "9-1"
    spool.write_bytes(b"paid for")
    old.database.checkpoint()
    old.database.close()
    with old.database.path.open("r+b") as file:
        file.write(b"\xff" * 8192)
    done = old.go_back(backup)
    assert done.carried.what == carrying.NOTHING and old.sound()
    assert done.aside and (done.aside / "spool" / "9-1").read_bytes() == b"paid for" and not spool.exists()
    assert (done.aside / "bedtime.db").read_bytes().startswith(b"\xff")
    assert old.one("SELECT since FROM schedules") >= old.now + 3600, "this evening's may have been bought already"


def test_a_backup_of_an_older_schema_is_brought_up_to_date(old: Old, tmp_path: Path) -> None:
    early = tmp_path / "early.db"
    db = sqlite3.connect(early)
    db.create_function("findable", 1, lettering.findable)
    for number, step in migrations.steps()[:-1]:
        db.executescript(step.read_text())
        db.execute(f"PRAGMA user_version = {number}")
    db.commit()
    db.close()
    old.go_back(early)
    assert old.one("PRAGMA user_version") == migrations.steps()[-1][0] and old.sound()
    assert not list((old.folder / "backups").glob("before-schema*")), "that would be a copy of the backup itself"


# --- killed at every step -------------------------------------------------------------------------

DYING = """
import os, signal, sys
from pathlib import Path
from bedtime import keeping
from bedtime.settings import load
keeping.restore(load({"BEDTIME_INSTANCE": sys.argv[1]}, root=Path()), Path(sys.argv[2]), now=2e9,
                observe=lambda point: os.kill(os.getpid(), signal.SIGKILL) if point == sys.argv[3] else None)
"""


@pytest.mark.parametrize("point", ["restore.taken", "restore.settled", "restore.set_aside", "restore.in_place"])
def test_killed_at_any_step_the_house_has_the_old_database_or_the_restored_one(old: Old, point: str) -> None:
    backup = old.back_up()
    newer, job_id = old.told(), old.ask()
    old.database.close()
    command = [sys.executable, "-c", DYING, str(old.folder), str(backup), point]
    assert subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}).returncode == -signal.SIGKILL
    old.start_again()
    assert old.sound() and old.text(newer.id)
    assert (old.job(job_id).error_code == "restored") == (point == "restore.in_place")
    old.go_back(backup)
    assert old.sound() and old.text(newer.id) and old.job(job_id).error_code == "restored"
    assert not (old.folder / "restoring").exists()


# --- bad input ------------------------------------------------------------------------------------


def zipped(path: Path, name: str, content: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return path


def spoilt(path: Path, backup: Path, spoil: Callable[[sqlite3.Connection], object]) -> Path:
    shutil.copy(backup, path)
    db = sqlite3.connect(path)
    spoil(db)
    db.commit()
    db.close()
    return path


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def hashed(path: Path, backup: Path) -> Path:
    """A backup in which one bit has flipped, with the hash of what it was."""
    content = bytearray(backup.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    path.with_name(f"{path.name}.sha256").write_text(
        f"{hashlib.sha256(backup.read_bytes()).hexdigest()}  {path.name}\n"
    )
    return path


def loose(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM story_requests")


BAD: dict[str, tuple[Callable[[Path, Path], Path], str]] = {
    "missing": (lambda path, backup: path, "there is no file"),
    "a folder": (lambda path, backup: path.parent, "cannot be read"),
    "empty": (lambda path, backup: written(path, b""), "is no database"),
    "text": (lambda path, backup: written(path, b"-- a dump\nCREATE TABLE jobs (id);\n"), "is no database"),
    "a bomb": (lambda path, backup: zipped(path, "bedtime.db", bytes(200_000_000)), "is a ZIP"),
    "a path that climbs": (lambda path, backup: zipped(path, "../../bedtime.db", b"x"), "is a ZIP"),
    "cut off": (lambda path, backup: written(path, backup.read_bytes()[:-5000]), "damaged"),
    "the head only": (lambda path, backup: written(path, backup.read_bytes()[:100]), "damaged"),
    "a broken page": (
        lambda path, backup: written(path, backup.read_bytes()[:8192] + bytes(8192) + backup.read_bytes()[16384:]),
        "damaged",
    ),
    "a flipped bit": (hashed, "SHA-256"),
    "a row that points nowhere": (lambda path, backup: spoilt(path, backup, loose), "damaged"),
    "newer schema": (
        lambda path, backup: spoilt(path, backup, lambda db: db.execute("PRAGMA user_version = 900")),
        "update the program",
    ),
    "another program's": (
        lambda path, backup: spoilt(path, backup, lambda db: db.execute("PRAGMA user_version = 0")),
        "another program",
    ),
    "the house's own": (lambda path, backup: backup.parent.parent / "bedtime.db", "in use"),
}


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Running:
    """A house with a story and a backup, which nobody serves."""
    house = Running(tmp_path_factory.mktemp("restore") / "house").start()
    house.ended(house.asked())
    said(flask(house, "backup"), 0)
    house.__exit__()
    return house


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_good_backup_is_one_sentence_and_changes_nothing(
    stopped: Running, tmp_path: Path, what: str
) -> None:
    make, sentence = BAD[what]
    backup = next((stopped.folder / "backups").glob("*.db"))
    file, before = make(tmp_path / "given.db", backup), state(stopped.folder)
    told = said(flask(stopped, "restore", str(file)), 1)
    assert sentence in told.replace("There", "there") and told.count("\n") == 1, told
    assert state(stopped.folder) == before


def test_restore_without_a_file_is_wrong_use(stopped: Running) -> None:
    said(flask(stopped, "restore"), 2)


def test_restore_beside_a_running_server_is_one_sentence_and_changes_nothing(household: Callable[..., Running]) -> None:
    house = household()
    story = house.ended(house.asked())["story_url"]
    backup = said(flask(house, "backup"), 0).strip()
    told = said(flask(house, "restore", backup), 1)
    assert "stop it first" in told and told.count("\n") == 1
    assert not (house.folder / "replaced").exists()
    assert house.get(story).status_code == 200 and house.asked()


def test_asking_a_restored_wish_again_says_that_it_may_cost_twice(
    paid: Callable[..., Running], provider: Provider
) -> None:
    """It may have been told and billed after the backup, by a database that nobody has any more."""
    house = paid()
    said(flask(house, "jobs", "pause"), 0)
    job_id = house.asked()
    backup = said(flask(house, "backup"), 0).strip()
    house.kill()
    said(flask(house, "restore", backup), 0)
    house.start()
    assert house.job(job_id)["error_code"] == "restored"
    assert "--understood" in said(flask(house, "jobs", "again", str(job_id)), 1)
    assert house.post(f"/stories/jobs/{job_id}/again").status_code == 422
    assert house.post(f"/stories/jobs/{job_id}/again", data={"understood": "yes"}).status_code in (200, 303)
    said(flask(house, "jobs", "resume"), 0)
    assert house.ended(job_id + 1)["status"] == "completed" and len(provider.bills()) == 1


def test_a_wish_from_the_command_line_cannot_slip_between(old: Old) -> None:
    """Whoever writes while it is restored waits, and then finds another file."""
    backup = old.back_up()
    late = Database(old.database.path, lock_seconds=0.2)
    late.open()

    def observe(point: str) -> None:
        if point == "restore.settled":
            with pytest.raises(BedtimeError, match="busy"), late.transaction("late") as tx:
                library.add_note(tx, "late", expires_at=1, now=1)

    old.go_back(backup, observe=observe)
    with pytest.raises(BedtimeError, match="was replaced"), late.transaction("late") as tx:
        library.add_note(tx, "late", expires_at=1, now=1)
    late.close()
