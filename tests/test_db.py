"""One file, opened the way that the promises need: transactions, the write lock, threads, checkpoints, copies."""

import contextlib
import hashlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bedtime import jobs
from bedtime.db import Connection, Database, copies
from bedtime.errors import DatabaseBusy


def add(tx: Connection) -> None:
    jobs.enqueue(tx, "book", "count", {}, now=1.0)


def pending(database: Database) -> int:
    with database.reading() as db:
        return {queue.name: queue.pending for queue in jobs.queues_now(db)}["book"]


def together(*acts: object) -> None:
    """All at once, each in a thread of its own; what one raises fails the test (filterwarnings)."""
    threads = [threading.Thread(target=act) for act in acts]  # type: ignore[arg-type]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextlib.contextmanager
def heard(database: Database) -> Iterator[list[str]]:
    """Every statement that this thread's connection runs."""
    statements: list[str] = []
    with database.reading() as db:
        db.set_trace_callback(statements.append)
    statements.clear()
    yield statements
    with database.reading() as db:
        db.set_trace_callback(None)


@pytest.fixture
def impatient(database: Database) -> Iterator[Database]:
    """The same file, for somebody who waits a tenth of a second for the lock."""
    impatient = Database(database.path, lock_seconds=0.1)
    impatient.open()
    yield impatient
    impatient.close()


def test_a_transaction_that_ends_well_is_committed(database: Database) -> None:
    with database.transaction("add") as tx:
        add(tx)
    assert pending(database) == 1


def test_a_transaction_that_raises_leaves_nothing_and_the_next_one_works(database: Database) -> None:
    with pytest.raises(KeyError), database.transaction("add") as tx:
        add(tx)
        raise KeyError
    assert pending(database) == 0
    with database.transaction("add") as tx:
        add(tx)
    assert pending(database) == 1


def test_even_an_interrupt_rolls_back(database: Database) -> None:
    with pytest.raises(KeyboardInterrupt), database.transaction("add") as tx:
        add(tx)
        raise KeyboardInterrupt
    assert pending(database) == 0


def test_a_write_transaction_is_immediate_and_a_reading_one_ends_without_a_trace(database: Database) -> None:
    with heard(database) as statements:
        with database.transaction("add") as tx:
            add(tx)
        with database.reading() as db:
            jobs.queues_now(db)
    begun = [statement for statement in statements if statement.startswith(("BEGIN", "COMMIT", "ROLLBACK"))]
    assert begun == ["BEGIN IMMEDIATE", "COMMIT", "BEGIN", "ROLLBACK", "BEGIN"]


def test_a_reader_sees_one_moment_until_it_ends(database: Database) -> None:
    with database.reading() as db:
        before = jobs.queues_now(db)
        together(lambda: _add_in(database))
        assert jobs.queues_now(db) == before
    assert pending(database) == 1


def _add_in(database: Database) -> None:
    with database.transaction("add") as tx:
        add(tx)
    database.close()


def test_each_step_of_a_transaction_is_told_by_its_name(tmp_path: Path) -> None:
    steps: list[str] = []
    database = Database(tmp_path / "bedtime.db", observe=steps.append)
    database.open()
    steps.clear()
    with database.transaction("add") as tx:
        add(tx)
        assert steps == []
    assert steps == ["add.before_commit", "add.after_commit"]
    with pytest.raises(KeyError), database.transaction("add") as tx:
        raise KeyError
    assert steps == ["add.before_commit", "add.after_commit"]
    database.close()


def test_what_hears_the_commit_may_write_itself(tmp_path: Path) -> None:
    """The lock is free again when `after_commit` is told."""
    again: list[str] = []

    def observe(point: str) -> None:
        if point == "add.after_commit" and not again:
            again.append(point)
            _add_in(database)

    database = Database(tmp_path / "bedtime.db", observe=observe, lock_seconds=1.0)
    database.open()
    _add_in(database)
    assert pending(database) == 2
    database.close()


def test_a_thread_has_a_connection_of_its_own_and_keeps_it(database: Database) -> None:
    seen: list[Connection] = []

    def look() -> None:
        for _ in range(2):
            with database.reading() as db:
                seen.append(db)
        database.close()

    together(look, look)
    with database.reading() as db:
        assert len({id(one) for one in [*seen, db]}) == 3


def test_a_rollback_in_one_thread_does_not_take_back_what_another_committed(database: Database) -> None:
    inside, done = threading.Event(), threading.Event()

    def fails() -> None:
        with contextlib.suppress(KeyError), database.transaction("add") as tx:
            add(tx)
            inside.set()
            assert not done.wait(0.2), "nobody commits while another transaction is open"
            raise KeyError
        database.close()

    def commits() -> None:
        inside.wait()
        _add_in(database)
        done.set()

    together(fails, commits)
    assert pending(database) == 1


def test_many_threads_that_write_at_once_all_get_their_turn(database: Database) -> None:
    def write() -> None:
        for _ in range(20):
            with database.transaction("add") as tx:
                add(tx)
        database.close()

    together(*[write] * 8)
    assert pending(database) == 160


def test_a_transaction_inside_another_is_refused_and_the_outer_one_is_unharmed(impatient: Database) -> None:
    with impatient.transaction("outer") as tx:
        add(tx)
        with pytest.raises(DatabaseBusy), impatient.transaction("inner"):
            pass
        add(tx)
    assert pending(impatient) == 2


def test_who_waits_too_long_for_another_writer_is_told_so(database: Database, impatient: Database) -> None:
    """The two objects share nothing but the folder, as two processes do."""
    with database.transaction("add") as tx:
        add(tx)
        with pytest.raises(DatabaseBusy, match="another process is writing"), impatient.transaction("add"):
            pass
    with impatient.transaction("add") as tx:
        add(tx)
    assert pending(database) == 2


def test_another_program_that_holds_the_file_is_waited_for_and_then_named(impatient: Database) -> None:
    other = sqlite3.connect(impatient.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseBusy, match="another program holds it"), impatient.transaction("add"):
        pass
    other.execute("ROLLBACK")
    other.close()
    with impatient.transaction("add") as tx:
        add(tx)
    assert pending(impatient) == 1


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),  # FULL
        ("busy_timeout", 5000),
        ("foreign_keys", 1),
        ("secure_delete", 1),
        ("trusted_schema", 0),
        ("wal_autocheckpoint", 0),
    ],
)
def test_every_connection_is_set_up_for_the_promises(database: Database, pragma: str, value: object) -> None:
    seen: list[object] = []

    def look() -> None:
        with database.reading() as db:
            seen.append(db.execute(f"PRAGMA {pragma}").fetchone()[0])
        database.close()

    together(look, look)
    look()
    assert seen == [value] * 3


def test_a_commit_of_somebody_else_changes_the_data_version_and_ours_does_not(database: Database) -> None:
    first = database.data_version()
    with database.transaction("add") as tx:
        add(tx)
    assert database.data_version() == first
    together(lambda: _add_in(database))
    assert database.data_version() != first


def test_a_checkpoint_empties_the_wal(database: Database) -> None:
    with database.transaction("add") as tx:
        for _ in range(500):
            add(tx)
    assert database.wal_bytes() > 10_000
    database.checkpoint()
    assert database.wal_bytes() == 0
    assert pending(database) == 500


def test_a_reader_does_not_stop_a_checkpoint_but_keeps_its_moment(database: Database) -> None:
    def write_and_checkpoint() -> None:
        with database.transaction("add") as tx:
            add(tx)
        database.checkpoint()
        database.close()

    with database.reading() as db:
        before = jobs.queues_now(db)
        together(write_and_checkpoint)
        assert jobs.queues_now(db) == before
    assert database.wal_bytes() > 0, "what the reader needs was not thrown away"
    database.checkpoint()
    assert (database.wal_bytes(), pending(database)) == (0, 1)


def test_the_wal_is_copied_back_now_and_then_without_anybody_asking(database: Database) -> None:
    database.checkpoint()
    before = database.path.stat().st_size
    for _ in range(1000):
        with database.transaction("add") as tx:
            add(tx)
    assert database.path.stat().st_size > before


def test_a_copy_is_whole_and_for_nobody_else(database: Database, tmp_path: Path) -> None:
    with database.transaction("add") as tx:
        add(tx)  # still in the WAL: a plain copy of the file would not have it
    target = tmp_path / "copy.db"
    target.write_text("an older copy")
    with database.reading() as db:
        copies.copy(db, target)
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.glob("copy*")) == ["copy.db", "copy.db.sha256"]
    assert copies.kept_digest(target) == hashlib.sha256(target.read_bytes()).hexdigest()
    copy = Database(target)
    copy.open()
    assert pending(copy) == 1
    copy.close()
