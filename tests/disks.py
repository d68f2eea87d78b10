"""Disks that are small, full or read-only, for as long as a test needs them; and what a house says about its disk."""

import contextlib
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import requests
from running import ROOT, Running

MIB = 1024 * 1024


class Disk:
    """A file system of its own, mounted at `folder`, for whoever writes there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ballast = folder / "ballast"

    def fill(self, pid: int = 0) -> None:
        """Not one more block fits in."""
        with contextlib.suppress(OSError), self._ballast.open("ab", buffering=0) as ballast:
            while True:
                ballast.write(bytes(4096))

    def empty(self, pid: int = 0) -> None:
        self._ballast.unlink()

    def grow(self, mib: int) -> None:
        self._remount(f"size={mib}m")

    def read_only(self) -> None:
        self._remount("ro")

    def writable(self) -> None:
        self._remount("rw")

    def _remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", self._folder], check=True, capture_output=True)


class Ration:
    """Where nobody may mount: no file may get longer, for this process (0), those that it starts, or another one."""

    def __init__(self, folder: Path, mib: int) -> None:
        self._folder = folder
        self._most = mib * MIB
        self.ration(self._most)

    def ration(self, most: int, pid: int = 0) -> None:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    def fill(self, pid: int = 0) -> None:
        """The log of the database, the longest file that grows, may not."""
        self.ration((self._folder / "bedtime.db-wal").stat().st_size, pid)

    def empty(self, pid: int = 0) -> None:
        self.ration(self._most, pid)

    def grow(self, mib: int) -> None:
        self.ration(mib * MIB)

    def read_only(self) -> None:
        for path in (*self._folder.iterdir(), self._folder):
            path.chmod(0o400 if path.is_file() else 0o500)

    def writable(self) -> None:
        for path in (self._folder, *self._folder.iterdir()):
            path.chmod(0o600 if path.is_file() else 0o700)


@contextlib.contextmanager
def small_disk(folder: Path, *, mib: int) -> Iterator[Disk | Ration]:
    """A tmpfs of `mib` MiB, or a ration for those who may not mount one; gone at the end, whatever happens."""
    folder.mkdir(mode=0o700)
    options = f"size={mib}m,mode=700"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode:
        yield from _rationed(folder, mib)
        return
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def _rationed(folder: Path, mib: int) -> Iterator[Ration]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield Ration(folder, mib)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def start_code(folder: Path) -> tuple[int, str]:
    """Exit code and words of a start that is refused."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("BEDTIME_", "FLASK_"))}
    ended = subprocess.run(
        [sys.executable, str(ROOT / "app.py")],
        env={**keep, "BEDTIME_INSTANCE": str(folder), "BEDTIME_PORT": "0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


def refuses(folder: Path, *words: str) -> None:
    code, said = start_code(folder)
    assert code == 1 and said.startswith("Bedtime cannot start: ") and "Traceback" not in said, said
    for word in words:
        assert word in said, said


def says_busy(answer: requests.Response, words: str) -> None:
    """503, when to come again, and a page or a problem that says what to do."""
    assert answer.status_code == 503 and int(answer.headers["Retry-After"]) >= 1
    assert words in answer.text and "Traceback" not in answer.text


def no_bug(house: Running) -> None:
    log = house.log.read_text()
    assert "bug=" not in log and "Traceback" not in log, log[-3000:]


def is_sound(house: Running) -> None:
    assert house.rows("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert house.rows("PRAGMA foreign_key_check") == []
