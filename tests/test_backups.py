"""Backups: one a day and checked, the right ones kept, whole or not there, also when the process dies over one."""

import datetime
import hashlib
import os
import sqlite3
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from home import Home
from running import Running, eventually
from scene import KEY, Scene
from terminal import flask, said, starting
from workbench import NOW

from bedtime import keeping, ledger, library
from bedtime.cli import checks
from bedtime.db import Database, copies
from bedtime.errors import DatabaseBusy, DatabaseUnusable
from bedtime.keeping import Keeper, backups, restoring

DAY = 86_400.0


def one(copy: Path, question: str) -> object:
    db = sqlite3.connect(f"file:{copy}?mode=ro", uri=True)
    try:
        return db.execute(question).fetchone()[0]
    finally:
        db.close()


def names(instance: Path) -> list[str]:
    return sorted(path.name for path in (instance / "backups").iterdir() if path.name != "lock")


@dataclass
class Years:
    """A house whose keeper looks every time that its clock is set; nobody waits a day."""

    home: Home

    def __post_init__(self) -> None:
        self.keeper = Keeper(
            self.home.database, self.home.parts.spool, observe=self.home.observe, clock=lambda: self.home.now
        )
        self.keeper.STEPS = 1  # type: ignore[misc]

    @property
    def folder(self) -> Path:
        return self.home.database.path.parent

    def look(self, now: float) -> list[keeping.Copy]:
        self.home.now = now
        self.keeper._look()
        return keeping.copies_of(self.folder)


@pytest.fixture
def years(tmp_path: Path) -> Years:
    home = Home(tmp_path / "house")
    home.tale(home.child("Mia"))
    return Years(home)


# --- one a day ------------------------------------------------------------------------------------


def test_a_house_in_which_nobody_has_asked_for_anything_makes_no_backup(tmp_path: Path) -> None:
    assert Years(Home(tmp_path / "house")).look(NOW) == []


def test_a_day_has_one_backup_however_often_it_is_looked_after(years: Years) -> None:
    for hour in range(24):
        assert len(years.look(NOW + hour * 3600)) == 1
    assert len(years.look(NOW + 24 * 3600)) == 2


def test_a_backup_is_one_closed_file_with_its_hash_beside_it(years: Years) -> None:
    (copy,) = years.look(NOW)
    assert copy.name == f"bedtime-0001-{datetime.datetime.fromtimestamp(NOW, datetime.UTC):%Y-%m-%d-%H%M}.db"
    assert names(years.folder) == [copy.name, f"{copy.name}.sha256"]
    assert copy.path.stat().st_mode & 0o777 == (years.folder / "backups").stat().st_mode & 0o600 == 0o600
    assert (years.folder / "backups").stat().st_mode & 0o777 == 0o700
    assert (
        hashlib.sha256(copy.path.read_bytes()).hexdigest()
        == copy.path.with_name(f"{copy.name}.sha256").read_text().split()[0]
    )
    checked = subprocess.run(
        ["sha256sum", "-c", f"{copy.name}.sha256"], cwd=copy.path.parent, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
    assert one(copy.path, "PRAGMA journal_mode") == "delete"
    assert one(copy.path, "SELECT count(*) FROM stories") == 1


def test_after_a_hundred_days_seven_days_and_four_weeks_before_them_are_kept(years: Years) -> None:
    for day in range(100):
        copies = years.look(NOW + day * DAY)
    assert [copy.number for copy in copies][:7] == [100, 99, 98, 97, 96, 95, 94]
    weeks = [datetime.datetime.fromtimestamp(copy.made_at, datetime.UTC).isocalendar() for copy in copies[7:]]
    assert len(copies) == 11 and len({(week.year, week.week) for week in weeks}) == 4
    assert all(week.weekday == 7 for week in weeks[1:]), "of a week that is over the newest is kept"
    assert len(names(years.folder)) == 22, "a hash leaves with its backup"


@pytest.mark.parametrize("jump", [3 * DAY, -3 * DAY, 400 * DAY, -400 * DAY], ids=["+3", "-3", "+400", "-400"])
def test_a_clock_that_jumps_and_comes_back_costs_no_day_and_no_newest_backup(years: Years, jump: float) -> None:
    for day in range(5):
        years.look(NOW + day * DAY)
    wrong = years.look(NOW + 5 * DAY + jump)
    assert wrong[0].number == max(copy.number for copy in wrong)
    for day in range(6, 20):
        copies = years.look(NOW + day * DAY + 60)
        assert abs(copies[0].made_at - (NOW + day * DAY)) < DAY, "each day has its own, at the head"
    assert len([copy for copy in copies if abs(copy.made_at - years.home.now) < 7.5 * DAY]) >= 6


def test_the_copy_from_before_another_schema_leaves_when_eleven_newer_ones_are_there(years: Years) -> None:
    early = years.folder / "backups" / "before-schema-5.db"
    early.parent.mkdir(mode=0o700)
    early.write_bytes(b"")
    os.utime(early, (1, 1))
    for day in range(60):
        copies = years.look(NOW + day * DAY)
        if len([copy for copy in copies if copy.number]) < 11:
            assert early.exists()
    assert not early.exists()


# --- checked --------------------------------------------------------------------------------------


def test_a_text_that_is_not_what_was_written_is_told_and_nothing_older_thrown_away(
    years: Years, caplog: pytest.LogCaptureFixture
) -> None:
    for day in range(20):
        years.look(NOW + day * DAY)
    before = {copy.name for copy in keeping.copies_of(years.folder)}
    with years.home.database.transaction("flip") as tx:
        tx.execute("UPDATE stories SET text = replace(text, 'a', 'b')")
    copies = {copy.name for copy in years.look(NOW + 21 * DAY)}
    assert before < copies
    assert "story=1" in caplog.text and "not what was written" in caplog.text


def test_a_damaged_database_makes_no_backup_and_says_so(years: Years, caplog: pytest.LogCaptureFixture) -> None:
    years.look(NOW)
    database = years.home.database
    database.checkpoint()
    database.close()
    with database.path.open("r+b") as file:
        file.seek(4096 * 6)
        file.write(b"\xff" * 4096 * 3)
    with pytest.raises((DatabaseUnusable, DatabaseBusy)):
        keeping.back_up(database, now=NOW + DAY)
    years.look(NOW + 2 * DAY)
    assert "backup=later" in caplog.text
    assert len(names(years.folder)) == 2, "only the first, and no half one"


def test_a_disk_that_is_nearly_full_keeps_its_room_for_stories(years: Years, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backups, "SPARE_BYTES", 2**60)
    with pytest.raises(DatabaseBusy, match="free some space"):
        keeping.back_up(years.home.database, now=NOW)
    assert keeping.copies_of(years.folder) == []


def test_nobody_leaves_a_backup_behind_that_is_just_being_made(years: Years, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backups, "LOCK_SECONDS", 0.1)
    tried = []

    def leave(point: str) -> None:
        if point == "backup.before_rename":
            with pytest.raises(DatabaseBusy):
                keeping.empty_house(years.home.database, copies_too=True)
            tried.append(point)

    keeping.back_up(years.home.database, now=NOW, observe=leave)
    assert tried and len(keeping.copies_of(years.folder)) == 1, "all is as it was"
    assert keeping.empty_house(years.home.database, copies_too=True)
    assert keeping.copies_of(years.folder) == []


def test_who_leaves_leaves_no_half_of_a_backup_or_of_a_restore_behind(years: Years) -> None:
    """A process died over them, and no other would be made in a house that is empty."""
    copy = keeping.back_up(years.home.database, now=NOW).path
    half, stage = copy.with_name(f"bedtime-0002-2027-01-15-0800.db{copies.PART}"), years.folder / restoring.STAGE
    stage.mkdir()
    for path in (half, stage / restoring.FILE):
        path.write_bytes(copy.read_bytes())
    assert keeping.empty_house(years.home.database, copies_too=False)
    assert not half.exists() and not stage.exists() and copy.exists()


# --- while the house works ------------------------------------------------------------------------


def test_nobody_who_writes_waits_for_a_backup_and_it_is_one_moment(years: Years) -> None:
    """A commit in the middle of it neither waits nor shows, and the copy does not begin anew."""
    database = years.home.database
    with database.transaction("fill") as tx:
        tx.executemany("INSERT INTO notes (text, expires_at, created_at) VALUES (?, 1, 1)", [("x" * 900,)] * 3000)
    steps: list[str] = []

    def write() -> None:
        with database.transaction("note") as tx:
            library.add_note(tx, "written in the middle", expires_at=NOW, now=NOW)
        database.close()

    def observe(point: str) -> None:
        steps.append(point)
        if point == "backup.mid" and len(steps) < 4:
            thread = threading.Thread(target=write)
            thread.start()
            thread.join(5)
            assert not thread.is_alive(), "a writer waits for the backup"

    copy = keeping.back_up(database, now=NOW, observe=observe)
    assert 3 < steps.count("backup.mid") < 12
    assert one(copy.path, "SELECT count(*) FROM notes WHERE text LIKE 'written%'") == 0
    with database.reading() as db:
        assert db.execute("SELECT count(*) FROM notes WHERE text LIKE 'written%'").fetchone()[0] == 3


def test_two_backups_at_once_are_two_whole_ones_with_numbers_of_their_own(years: Years) -> None:
    house = Running(years.folder)
    both = [starting(house, "backup", stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    told = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    made = {Path(out.strip()).name for out, _ in told}
    assert {name[:12] for name in made} == {"bedtime-0001", "bedtime-0002"}
    assert [copy.number for copy in keeping.copies_of(years.folder)] == [2], "of one day the newest is kept"


# --- a process that dies over it ------------------------------------------------------------------


@pytest.mark.parametrize("point", ["backup.mid", "backup.before_rename"])
def test_a_process_that_dies_over_a_backup_leaves_no_half_one_under_a_final_name(tmp_path: Path, point: str) -> None:
    with Scene.of(tmp_path) as scene:
        scene.restart()
        assert scene.client.ask(KEY)
        scene.ended(scene.repeat())
        scene.house.kill()
        folder = scene.house.folder / "backups"
        for path in folder.glob("bedtime-*"):
            path.unlink()
        scene.start_and_die(point)
        assert not list(folder.glob("*.db")) and len(list(folder.glob("*.part"))) == 1
        scene.restart()
        copy = eventually(lambda: next(folder.glob("*.db"), None), what="the backup")
        assert one(copy, "PRAGMA integrity_check") == "ok" and one(copy, "SELECT count(*) FROM stories") == 1
        assert sorted(path.name for path in folder.iterdir()) == [copy.name, f"{copy.name}.sha256", "lock"]
        scene.check()


# --- by hand --------------------------------------------------------------------------------------


def test_backup_by_hand_beside_a_running_house(household: Callable[..., Running], tmp_path: Path) -> None:
    house = household()
    house.ended(house.asked())
    made = Path(flask(house, "backup").stdout.strip())
    assert made.is_absolute() and str(made) in said(flask(house, "backup", "--list"), 0)
    assert one(made, "SELECT count(*) FROM stories") == 1
    target = tmp_path / "stick" / "bedtime.db"
    assert "no folder" in said(flask(house, "backup", str(target)), 1)
    target.parent.mkdir()
    assert str(target) in said(flask(house, "backup", str(target)), 0)
    assert target.stat().st_mode & 0o777 == 0o600 and one(target, "SELECT count(*) FROM stories") == 1
    assert "there already" in said(flask(house, "backup", str(target)), 1)
    from_here = os.path.relpath(tmp_path / "stick" / "other.db", house.root)
    assert flask(house, "backup", from_here).stdout.strip() == str((tmp_path / "stick" / "other.db").resolve())
    assert house.get("/healthz").status_code == 200


def test_backup_and_export_without_a_database_are_a_sentence(tmp_path: Path) -> None:
    house = Running(tmp_path / "nobody")
    for command in (("backup",), ("export", str(tmp_path / "all.zip"))):
        assert "no database yet" in said(flask(house, *command), 1)
    assert not (tmp_path / "all.zip").exists() and "No backup" in said(flask(house, "backup", "--list"), 0)


# --- what leaves by itself ------------------------------------------------------------------------


def test_raw_answers_leave_thirty_days_after_the_story_was_settled_and_no_sooner(
    tmp_path: Path, provider: object
) -> None:
    home = Home(tmp_path / "house", provider)  # type: ignore[arg-type]
    job = home.told()
    years, settled_at = Years(home), home.now
    years.look(settled_at + 29.9 * DAY)
    assert home.call(job.id).raw
    years.look(settled_at + 30.1 * DAY)
    call = home.call(job.id)
    assert (call.raw, call.draft, call.status) == (None, "", "settled") and call.spent_micros
    assert home.text(job.id) and home.job(job.id).status == "completed"


def test_an_unknown_call_keeps_the_text_that_did_arrive(tmp_path: Path, provider: object) -> None:
    provider.set_mode("cut_stream")  # type: ignore[attr-defined]
    home = Home(tmp_path / "house", provider)  # type: ignore[arg-type]
    job = home.told()
    draft = home.call(job.id).draft
    Years(home).look(home.now + 100 * DAY)
    assert draft and home.call(job.id).draft == draft and home.call(job.id).status == "unknown"


def test_an_answer_to_a_call_that_was_settled_by_hand_stays_until_it_is_a_story(database: Database) -> None:
    with database.transaction("test") as tx:
        tx.execute("INSERT INTO jobs (queue, kind, run_after, created_at) VALUES ('stories', 'k', 1, 1)")
        tx.execute(
            "INSERT INTO calls (job_id, attempt, model, host, status, period, reserved_micros, spent_micros, raw, outcome,"
            " sent_at, settled_at) VALUES (1, 1, 'm', 'h', 'settled', '2027-01', 5, 5, x'00', 'by_hand', 1, 1)"
        )
        assert ledger.forget_raw(tx, settled_before=NOW) == 0


def test_sessions_codes_and_notes_leave_a_week_after_their_time(years: Years) -> None:
    database = years.home.database
    with database.transaction("test") as tx:
        tx.execute(
            "INSERT INTO devices (name, role, key_sha256, created_at, seen_at, expires_at) VALUES ('t', 'reader', 'k', 1, 1, ?)",
            (NOW,),
        )
        tx.execute(
            "INSERT INTO pairings (code_sha256, device_name, role, approval, expires_at) VALUES ('c', 't', 'reader', 1, ?)",
            (NOW,),
        )
        library.add_note(tx, "dentist", expires_at=NOW, now=NOW)

    def left() -> int:
        with database.reading() as db:
            tables = ("devices", "pairings", "notes")
            return sum(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)

    years.look(NOW + 6.9 * DAY)
    assert left() == 3
    years.look(NOW + 7.1 * DAY)
    assert left() == 0


def test_a_spool_file_leaves_once_its_call_is_in_the_ledger_and_no_other_does(tmp_path: Path, provider: object) -> None:
    home = Home(tmp_path / "house", provider)  # type: ignore[arg-type]
    job = home.told()
    spool = home.parts.spool
    spool.reserve(job.id, job.attempts, size=10).close()
    spool.reserve(99, 1, size=10).close()
    Years(home).look(home.now + 1)
    assert spool.kept() == [(99, 1)], "nobody knows yet what is in the other one"


def test_no_name_of_a_backup_leads_out_of_its_folder(years: Years) -> None:
    years.look(NOW)
    (years.folder / "secret.db").write_bytes(b"")
    for name in (
        "../secret.db",
        "../bedtime.db",
        "lock",
        "",
        ".",
        "..",
        "/etc/passwd",
        "bedtime-0001-9999-99-99-9999.db",
    ):
        assert keeping.find_copy(years.folder, name) is None


def test_the_doctor_looks_at_the_newest_backup(years: Years) -> None:
    assert checks.backups(years.folder, now=NOW).level == "ok", "there may be nothing to keep yet"
    (copy,) = years.look(NOW)
    assert copy.name in checks.backups(years.folder, now=NOW + 2 * DAY).text
    assert checks.backups(years.folder, now=NOW + 4 * DAY).level == "wrong"
