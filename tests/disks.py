"""Disks that are small, full or read-only, for as long as a test needs them; and what a house says about its disk."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import requests
from running import ROOT, Running

MIB = 1024 * 1024


class Disk:
    """A file system of its own, mounted at `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Not one more block fits in."""
        with contextlib.suppress(OSError), self._ballast.open("ab", buffering=0) as ballast:
            while True:
                ballast.write(bytes(4096))

    def empty(self) -> None:
        self._ballast.unlink()

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", self.folder], check=True, capture_output=True)


@contextlib.contextmanager
def small_disk(folder: Path, *, mib: int) -> Iterator[Disk]:
    """A tmpfs of `mib` MiB; gone at the end, whatever happens. Only root may mount one."""
    folder.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=700", "tmpfs", folder], check=True)
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


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
