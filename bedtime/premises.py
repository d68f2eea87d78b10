"""The place where the house stands: files closed to others, a local disk, no debugger on the network, its addresses."""

import errno
import functools
import ipaddress
import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

from bedtime.db.place import MOUNTS, is_network, mounted
from bedtime.errors import BedtimeError
from bedtime.settings import Settings

KEY_BYTES = 32
LOOPBACK_NAME = "localhost"

_WHAT_TO_DO = {
    errno.EADDRINUSE: "stop the program that listens there, perhaps another Bedtime, or set another BEDTIME_PORT",
    errno.EACCES: "set a BEDTIME_PORT from 1024 upwards, which needs no special rights",
}

Draw = Callable[[int], bytes]


def check(settings: Settings, *, host: str | None, debug: bool, mounts: Path = MOUNTS) -> None:
    """Raises BedtimeError where nobody should serve: `host` is what is listened on, None where nobody here knows."""
    if debug and host is not None and not is_loopback(host):
        raise BedtimeError(
            f"debug mode is on and the address is {host}: whoever reaches it could run programs here; switch debug mode "
            "off, or serve on 127.0.0.1"
        )
    settings.instance.mkdir(mode=0o700, parents=True, exist_ok=True)
    kind = mounted(settings.instance, mounts=mounts)
    if kind is not None and is_network(kind) and not settings.network_disk:
        raise BedtimeError(
            f"{settings.instance} is on a network file system ({kind}), where SQLite can lose stories: use a local disk, "
            "or set BEDTIME_NETWORK_DISK=yes if only one machine ever opens it"
        )


def listen(host: str, port: int) -> socket.socket:
    """Callers may knock at one address, and wait: the first of IPv4 where a name has several. Raises BedtimeError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no name"
        raise BedtimeError(
            f"BEDTIME_HOST is {host}, and that leads to no address here ({reason}): set it to 127.0.0.1, to 0.0.0.0 for "
            "the home network, or to a name that this computer knows"
        ) from None
    family, *_, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    try:
        return socket.create_server(address, family=family)
    except OSError as error:
        raise BedtimeError(
            f"BEDTIME_PORT is {port} and BEDTIME_HOST is {host}, where Bedtime cannot listen "
            f"({os.strerror(error.errno or 0)}): "
            + _WHAT_TO_DO.get(error.errno or 0, "set BEDTIME_HOST to an address of this computer, such as 127.0.0.1")
        ) from None


def close_to_others(path: Path) -> None:
    """Nobody else on this machine may read the file. Raises BedtimeError if its mode doesn't change."""
    try:
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
            if path.stat().st_mode & 0o077:
                raise PermissionError(0, "its mode does not change")
    except OSError as error:
        raise BedtimeError(
            f"others can read {path}, and that can't be changed ({error.strerror}): make it a file of yours, mode 0600"
        ) from None


def secret_key(instance: Path, draw: Draw) -> bytes:
    """The install's own 32 bytes, drawn at the first start. Raises BedtimeError if the file holds anything else."""
    key = _kept(instance / "secret_key", lambda: draw(KEY_BYTES))
    if len(key) != KEY_BYTES:
        raise BedtimeError(
            f"{instance / 'secret_key'} is {len(key)} bytes long: expected {KEY_BYTES}; remove it, and a new one is drawn"
        )
    return key


def setup_token(instance: Path, draw: Draw) -> str:
    """The word of the one-time link, drawn once; it stays the same until set-up is done."""
    return _kept(instance / "setup_token", lambda: draw(KEY_BYTES).hex().encode()).decode("ascii", "replace").strip()


def known_setup_token(instance: Path) -> str | None:
    """None once set-up is done."""
    try:
        return (instance / "setup_token").read_text(encoding="ascii", errors="replace").strip() or None
    except FileNotFoundError:
        return None


def end_set_up(instance: Path) -> None:
    """The link leads nowhere any more."""
    (instance / "setup_token").unlink(missing_ok=True)


@functools.lru_cache
def is_loopback(host: str) -> bool:
    """Whether an address, or a name as the Host header has it, means this machine and no other."""
    name = host.lower().removeprefix("[").removesuffix("]")
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name == LOOPBACK_NAME
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def address_for_others() -> str:
    """This machine's address as others at home reach it, or its name where it has none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address that is nobody's: it only chooses the way out
            return str(probe.getsockname()[0])
        except OSError:
            return f"{socket.gethostname().split('.')[0].lower()}.local"


def url_for_others(settings: Settings, *, host: str, port: int) -> str:
    """Where another device calls: the first of BEDTIME_HOSTS, or the address that is listened on."""
    if settings.hosts:
        return settings.hosts[0]
    return url_of(address_for_others() if host in ("0.0.0.0", "::", "") else host, port)


def url_of(host: str, port: int) -> str:
    """`http://host:port`, as a browser writes it."""
    return f"http://{f'[{host}]' if ':' in host else host}{'' if port == 80 else f':{port}'}"


def invitation(settings: Settings, *, host: str, port: int, token: str) -> str:
    """What the terminal says while nobody may come in from the network."""
    return (
        "Nobody can come in from the network yet. Open this link on the phone or computer of a grown-up; it works once:\n"
        f"  {url_for_others(settings, host=host, port=port)}/setup/{token}"
    )


def _kept(path: Path, draw: Callable[[], bytes]) -> bytes:
    """What the file holds; drawn and written whole, mode 0600, if it isn't there. Two processes get the same."""
    if not path.exists():
        _write_new(path, draw())
    close_to_others(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise BedtimeError(f"{path} cannot be read ({error.strerror}): check who owns it, and its mode") from None


def _write_new(path: Path, content: bytes) -> None:
    try:
        descriptor, half = tempfile.mkstemp(
            prefix=f"{path.name}.", suffix=".part", dir=path.parent
        )  # O_EXCL, mode 0600
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _put_into_place(Path(half), path)
    except OSError as error:
        raise BedtimeError(f"{path} cannot be written ({error.strerror}): check who owns its folder") from None


def _put_into_place(half: Path, path: Path) -> None:
    """Never over a file that another process put there meanwhile: then its content holds."""
    try:
        os.link(half, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        half.rename(path)
    finally:
        half.unlink(missing_ok=True)
