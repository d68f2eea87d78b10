"""The bytes of an answer on disk, in space that was set aside before anything was bought.

A file is named `<job id>-<attempts>` and holds records: length and CRC-32 (both unsigned, 4 bytes, big-endian), then
the bytes. Reserved space reads as zeros, so a length of zero ends the file; so does a record that was torn by a crash.
"""

import os
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

SIZE = 9 * 1024 * 1024
_HEAD = struct.Struct(">II")
_NAME = re.compile(r"([0-9]+)-([0-9]+)", re.ASCII)
_ZEROS = bytes(64 * 1024)


class SpoolFile:
    """One answer as it arrives. `Spool.read` finds all that was appended; after `sync`, also after a power cut."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._end = 0

    def append(self, data: bytes) -> None:
        """Add `data` as one record. Raises OSError, and then it was not added and what stood before it still stands."""
        if data:
            record = _HEAD.pack(len(data), zlib.crc32(data)) + data
            _write(self._descriptor, record, self._end)
            self._end += len(record)

    def sync(self) -> None:
        """Return once everything appended is on the disk itself."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Let go of the file; it stays where it is. Closing twice is harmless."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Spool:
    """The folder of answers that are not in the database yet."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder

    def reserve(self, job_id: int, attempts: int, size: int = SIZE) -> SpoolFile:
        """Make a file (0600) with `size` bytes set aside on the disk; more may be appended, but then it may fail.

        Raises OSError and leaves nothing new behind: no space, no permission, or the file is there already (bytes that
        were paid for are never overwritten).
        """
        path = self._path(job_id, attempts)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            _set_aside(descriptor, size)
            self._sync_folder()
        except BaseException:
            os.close(descriptor)
            path.unlink(missing_ok=True)
            raise
        return SpoolFile(descriptor)

    def read(self, job_id: int, attempts: int) -> bytes | None:
        """The bytes kept so far, without a record that was torn; None if there is no such file."""
        try:
            kept = self._path(job_id, attempts).read_bytes()
        except FileNotFoundError:
            return None
        return b"".join(_records(kept))

    def remove(self, job_id: int, attempts: int) -> None:
        """Delete the file, if it is there."""
        self._path(job_id, attempts).unlink(missing_ok=True)

    def kept(self) -> list[tuple[int, int]]:
        """The (job id, attempts) of every file, in order."""
        names = (_NAME.fullmatch(path.name) for path in self._folder.iterdir())
        return sorted((int(name[1]), int(name[2])) for name in names if name)

    def _path(self, job_id: int, attempts: int) -> Path:
        return self._folder / f"{job_id:d}-{attempts:d}"

    def _sync_folder(self) -> None:
        """Without this the file itself, not only its bytes, could be gone after a power cut."""
        descriptor = os.open(self._folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _set_aside(descriptor: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
        return
    for start in range(0, size, len(_ZEROS)):  # macOS has no posix_fallocate
        _write(descriptor, _ZEROS[: size - start], start)


def _write(descriptor: int, data: bytes, start: int) -> None:
    """All of `data` at `start`: a write may be short."""
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, start)
        view, start = view[written:], start + written


def _records(kept: bytes) -> Iterator[bytes]:
    start = 0
    while start + _HEAD.size <= len(kept):
        length, crc = _HEAD.unpack_from(kept, start)
        data = kept[start + _HEAD.size : start + _HEAD.size + length]
        if not length or len(data) < length or zlib.crc32(data) != crc:
            return
        yield data
        start += _HEAD.size + length
