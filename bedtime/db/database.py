"""One SQLite file: a connection a thread, named write transactions, checkpoints, copies."""

import logging
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bedtime.db import migrations
from bedtime.db.connection import Connection, FaultsTold, connect, meaning
from bedtime.db.lock import WriteLock
from bedtime.db.originals import Originals, check_file
from bedtime.errors import DatabaseUnusable

log = logging.getLogger("bedtime.db")

Observer = Callable[[str], None]

LOCK_SECONDS = 5.0
COMMITS_BETWEEN_CHECKPOINTS = 1000


class Database:
    """The household's file. Threads share this object, never a connection.

    `observe` hears the name of each step, `<transaction>.before_commit` and `<transaction>.after_commit`.
    """

    def __init__(
        self, path: Path, *, observe: Observer = lambda point: None, lock_seconds: float = LOCK_SECONDS
    ) -> None:
        self.path = path
        self.observe = observe
        self._lock_seconds = lock_seconds
        self._faults_told = FaultsTold(path)
        self._commits = 0
        self._inherited: list[object] = []
        self._inode: int | None = None
        with self._set_up_told():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = WriteLock(path.with_name("write.lock"), timeout_seconds=lock_seconds)
        self._local = threading.local()
        os.register_at_fork(before=_weakly(self.close), after_in_child=_weakly(self.start_afresh))

    def open(self) -> None:
        """Bring the schema up to date. Raises DatabaseUnusable if this program cannot use the file."""
        with self._lock, self._set_up_told(), self._faults_told:
            if not self.path.exists():
                self.path.touch(mode=0o600)  # SQLite gives -wal and -shm the mode of the file
            migrations.migrate(self._connection(), self.path, self.observe)
            self.path.chmod(0o600)
        self._inode = self.path.stat().st_ino

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One snapshot for as many SELECTs as are needed; fetch all rows of each."""
        with self._faults_told:
            db = self._connection()
            db.execute("BEGIN")
            try:
                yield db
            finally:
                _rollback(db)

    @contextmanager
    def transaction(self, name: str) -> Iterator[Connection]:
        """A write transaction: committed to the disk when the block ends, rolled back if it raises.

        Raises DatabaseBusy if the lock cannot be had in 5 s or the disk is full, DatabaseUnusable if the file was replaced.
        """
        with self._lock, self._faults_told:
            tx = self._connection()
            tx.execute("BEGIN IMMEDIATE")
            try:
                self._local.originals.check(self._inode)
                yield tx
                self.observe(f"{name}.before_commit")
                tx.execute("COMMIT")
            except BaseException:
                _rollback(tx)
                raise
            self._checkpoint_now_and_then(tx)
        self.observe(f"{name}.after_commit")

    def data_version(self) -> int:
        """A number that changes when another connection commits (https://sqlite.org/pragma.html#pragma_data_version)."""
        with self._faults_told:
            return int(self._connection().execute("PRAGMA data_version").fetchone()[0])

    def checkpoint(self) -> None:
        """Copy the WAL into the file; empty it if everything could be copied."""
        with self._lock, self._faults_told:
            _, frames, copied = self._connection().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if 0 < frames == copied:
                self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def vacuum(self) -> None:
        """Write the file anew, without a trace of what was deleted."""
        with self._lock, self._faults_told:
            check_file(self.path, self._inode)
            self._connection().execute("VACUUM")
        self.checkpoint()

    def wal_bytes(self) -> int:
        wal = self.path.with_name(self.path.name + "-wal")
        return wal.stat().st_size if wal.exists() else 0

    def close(self) -> None:
        """Close this thread's connection; others keep theirs."""
        db = getattr(self._local, "db", None)
        if db is not None:
            self._local.db = None
            db.close()

    def _connection(self) -> Connection:
        db: Connection | None = getattr(self._local, "db", None)
        if db is None:
            if self._inode is not None:
                check_file(self.path, self._inode)  # SQLite would make a new one
            db = self._local.db = connect(self.path, busy_seconds=self._lock_seconds)
            self._local.originals = Originals(self.path)
        return db

    def _checkpoint_now_and_then(self, tx: Connection) -> None:
        """What was committed stays committed: a file that cannot grow now is no reason to say that it was not."""
        self._commits += 1
        if self._commits % COMMITS_BETWEEN_CHECKPOINTS == 0:
            try:
                tx.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            except sqlite3.OperationalError as error:
                log.warning("checkpoint=later reason=%s", meaning(error, self.path))

    @contextmanager
    def _set_up_told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DatabaseUnusable(
                f"{error.filename} cannot be used ({error.strerror}): check who owns it and its folder, and their modes"
            ) from error

    def start_afresh(self) -> None:
        """After a fork: the child opens its own connections, and leaves those of the parent's other threads alone.

        The forking thread has closed its own before: SQLite in the child would count the parent's locks as its own, and
        what the child commits would be lost to everybody as soon as the parent lets go.
        """
        self._inherited.append(self._local)
        self._local = threading.local()
        self._lock.start_afresh()


def _weakly(method: Callable[[], None]) -> Callable[[], None]:
    """Hooks of a fork can't be taken away again, so they must not keep the object alive."""
    reference = weakref.WeakMethod(method)

    def call() -> None:
        found = reference()
        if found is not None:
            found()

    return call


def _rollback(db: Connection) -> None:
    if db.in_transaction:  # SQLITE_FULL, IOERR and NOMEM have rolled back by themselves
        db.execute("ROLLBACK")
