"""What was kept is found again, after a crash too, and a full disk is known before anything is bought."""

import errno
import json
import os
import resource
import stat
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedtime.spool import SIZE, Spool

MIB = 1024 * 1024
FILL = """
import json, os, resource, sys
from pathlib import Path
from bedtime.spool import Spool

folder, limit = Path(sys.argv[1]), int(sys.argv[2])
spool, found = Spool(folder), {"error": None}
file = spool.reserve(1, 1, 600 * 1024)
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    spool.reserve(2, 1, 900 * 1024)
except OSError as error:
    found["error"] = error.errno
found["left"] = sorted(os.listdir(folder))
try:
    (folder / "rest").write_bytes(bytes(900 * 1024))
except OSError as error:
    found["full"] = error.errno
for _ in range(9):
    file.append(b"x" * 64 * 1024)
file.sync()
found["kept"] = len(spool.read(1, 1))
print(json.dumps(found))
"""


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "spool")


def test_what_was_appended_is_read_again(spool: Spool) -> None:
    with spool.reserve(7, 2) as file:
        file.append(b"Once ")
        file.append(b"")
        file.append(b"upon\0 a time\xff")
        assert spool.read(7, 2) == b"Once upon\0 a time\xff"
        file.sync()
    assert spool.read(7, 2) == b"Once upon\0 a time\xff"
    assert spool.read(7, 1) is None


def test_a_reservation_that_was_abandoned_reads_as_nothing(spool: Spool) -> None:
    spool.reserve(7, 2).close()
    assert spool.read(7, 2) == b""
    assert spool.kept() == [(7, 2)]


def test_the_space_is_taken_when_it_is_reserved(spool: Spool, tmp_path: Path) -> None:
    spool.reserve(7, 2).close()
    found = (tmp_path / "spool" / "7-2").stat()
    assert found.st_size == SIZE
    assert found.st_blocks * 512 >= SIZE


def test_more_than_was_reserved_may_be_kept(spool: Spool) -> None:
    with spool.reserve(7, 2, 10) as file:
        file.append(b"a" * 100)
        file.append(b"b" * 100)
    assert spool.read(7, 2) == b"a" * 100 + b"b" * 100


def test_only_the_household_reads_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Spool(tmp_path / "spool").reserve(7, 2).close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "spool").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "spool" / "7-2").stat().st_mode) == 0o600


def test_bytes_that_were_paid_for_are_not_overwritten(spool: Spool) -> None:
    with spool.reserve(7, 2) as file:
        file.append(b"Once")
    with pytest.raises(FileExistsError):
        spool.reserve(7, 2)
    assert spool.read(7, 2) == b"Once"


def test_what_is_removed_is_gone_and_may_be_removed_twice(spool: Spool) -> None:
    for job_id in (10, 9):
        spool.reserve(job_id, 1).close()
    spool.remove(10, 1)
    spool.remove(10, 1)
    assert spool.kept() == [(9, 1)]


def test_only_our_own_names_are_listed_and_in_order(spool: Spool, tmp_path: Path) -> None:
    for name in ("10-1", "9-2", "9-1", "9-1.tmp", "x-1", "-1-1", "notes", "٣-1"):
        (tmp_path / "spool" / name).touch()
    assert spool.kept() == [(9, 1), (9, 2), (10, 1)]


def test_a_record_that_was_torn_is_dropped_wherever_it_was_torn(spool: Spool, tmp_path: Path) -> None:
    path = tmp_path / "spool" / "7-2"
    with spool.reserve(7, 2, 64) as file:
        file.append(b"Once ")
        file.append(b"upon")
    whole = path.read_bytes().rstrip(b"\0")
    second = len(whole) - 4 - 8
    for cut in range(second, len(whole)):
        for rest in (b"", bytes(64), b"\xa5" * 64):
            path.write_bytes(whole[:cut] + rest)
            assert spool.read(7, 2) == b"Once "


def test_a_record_that_lies_about_its_length_is_dropped(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "spool" / "7-2").write_bytes(struct.pack(">II", 2**32 - 1, 0) + b"Once")
    assert spool.read(7, 2) == b""


@given(st.lists(st.binary(max_size=300)), st.integers(0, 400))
def test_any_pieces_come_back_joined(tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], size: int) -> None:
    spool = Spool(tmp_path_factory.mktemp("spool"))
    with spool.reserve(1, 1, size + 1) as file:
        for piece in pieces:
            file.append(piece)
    assert spool.read(1, 1) == b"".join(pieces)


def test_a_disk_that_is_full_is_known_before_anything_is_bought_and_keeps_what_was_promised(tmp_path: Path) -> None:
    mounting = on_a_tiny_disk(tmp_path)
    # Where no file system may be mounted, a limit on the size of files stands in for the end of the disk.
    found = fill(tmp_path / "spool", limit=0 if mounting else 700 * 1024, before=mounting)
    full = errno.ENOSPC if mounting else errno.EFBIG
    assert found == {"error": full, "left": ["1-1"], "full": full, "kept": 9 * 64 * 1024}


def test_a_limit_on_files_is_known_before_anything_is_bought(tmp_path: Path) -> None:
    found = fill(tmp_path / "spool", limit=700 * 1024)
    assert found == {"error": errno.EFBIG, "left": ["1-1"], "full": errno.EFBIG, "kept": 9 * 64 * 1024}


def on_a_tiny_disk(folder: Path) -> list[str]:
    """What to put before a command so that it, alone, finds a disk of 1 MiB at `folder`; nothing if that is not allowed."""
    mounting = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=1m tiny "$0" && exec "$@"', str(folder)]
    try:
        allowed = subprocess.run([*mounting, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return []
    return mounting if allowed else []


def fill(folder: Path, *, limit: int, before: Sequence[str] = ()) -> object:
    command = [*before, sys.executable, "-c", FILL, str(folder), str(limit)]
    done = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parents[1])
    return json.loads(done.stdout)


def test_a_record_that_could_not_be_written_leaves_those_before_it_and_the_next_one_whole(spool: Spool) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with spool.reserve(7, 2, 10) as file:
        file.append(b"Once ")
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            with pytest.raises(OSError):
                file.append(b"x" * 2000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert spool.read(7, 2) == b"Once "
        file.append(b"upon")
    assert spool.read(7, 2) == b"Once upon"
