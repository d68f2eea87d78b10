"""Where the file lies: which SQLite, on what kind of file system."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

MOUNTS = Path("/proc/self/mounts")
_NETWORK = ("nfs", "cifs", "smb", "afs", "9p", "ceph", "glusterfs", "lustre", "davfs")
_NETWORK_FUSE = ("sshfs", "s3fs", "rclone", "davfs", "glusterfs", "curlftpfs", "gvfsd")


def sqlite_version() -> str:
    return sqlite3.sqlite_version


def mounted(path: Path, *, mounts: Path = MOUNTS) -> str | None:
    """The kind of file system that a folder is on (`ext4`, `nfs4`, `fuse.sshfs`); None where the machine doesn't say."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return _kind(path.resolve(), (line.split(" ") for line in lines))


def is_network(kind: str) -> bool:
    """Whether locks and WAL on such a file system cannot be relied on (https://sqlite.org/wal.html)."""
    name = kind.lower()
    return name.startswith(_NETWORK) or (name.startswith("fuse.") and name[5:].startswith(_NETWORK_FUSE))


def _kind(path: Path, mounts: Iterable[list[str]]) -> str | None:
    """The mount point that is deepest above the path; of two at one place the later covers the first."""
    kind, depth = None, -1
    for fields in mounts:
        point = Path(_plain(fields[1])) if len(fields) > 2 else None
        if point is not None and path.is_relative_to(point) and len(point.parts) >= depth:
            kind, depth = fields[2], len(point.parts)
    return kind


def _plain(field: str) -> str:
    """Spaces and the like stand in the file as three octal digits (man 5 fstab)."""
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, char)
    return field
