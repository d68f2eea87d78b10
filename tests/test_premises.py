"""Where the house stands: when it refuses to serve, its own secrets, its addresses."""

import logging
import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gatehouse import PASSPHRASE, PIN, Gatehouse
from running import ROOT

from bedtime import premises
from bedtime.errors import BedtimeError
from bedtime.logs import WithoutSecrets
from bedtime.settings import Settings, load
from bedtime.web.access import Role


def settings(folder: Path, **named: str) -> Settings:
    return load({f"BEDTIME_{name.upper()}": value for name, value in named.items()}, root=folder)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.20", "::", "story.home"])
def test_a_debugger_is_never_served_to_the_network(tmp_path: Path, host: str) -> None:
    with pytest.raises(BedtimeError, match="debug mode is on and the address is"):
        premises.check(settings(tmp_path), host=host, debug=True)
    premises.check(settings(tmp_path), host=host, debug=False)
    for own in ("127.0.0.1", "::1", "localhost"):
        premises.check(settings(tmp_path), host=own, debug=True)


@pytest.mark.parametrize("options", [("--debug", "--host", "0.0.0.0"), ("--debugger", "--host", "0.0.0.0")])
def test_flask_run_refuses_before_it_listens(tmp_path: Path, options: tuple[str, ...]) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("BEDTIME_", "FLASK_"))}
    done = subprocess.run(
        [sys.executable, "-m", "flask", "run", "--no-reload", "--port", "0", *options],
        cwd=ROOT,
        env={**environment, "BEDTIME_INSTANCE": str(tmp_path / "instance")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "debug mode is on" in done.stderr
    assert "Running on" not in done.stderr


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_a_network_disk_is_refused_unless_told_otherwise(tmp_path: Path, kind: str) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nnas:/share {tmp_path} {kind} rw 0 0\n")
    with pytest.raises(BedtimeError, match=f"network file system .{kind}.+BEDTIME_NETWORK_DISK=yes"):
        premises.check(settings(tmp_path), host="127.0.0.1", debug=False, mounts=mounts)
    premises.check(settings(tmp_path, network_disk="yes"), host="127.0.0.1", debug=False, mounts=mounts)


def test_a_secret_is_drawn_once_however_many_start_at_the_same_time(tmp_path: Path) -> None:
    together = threading.Barrier(16)

    def draw(count: int) -> bytes:
        return os.urandom(count)

    def start(_: int) -> bytes:
        together.wait()
        return premises.secret_key(tmp_path, draw)

    with ThreadPoolExecutor(16) as crowd:
        assert len(set(crowd.map(start, range(16)))) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_a_secret_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    key = tmp_path / "secret_key"
    key.write_bytes(b"k" * 32)
    key.chmod(0o644)
    assert premises.secret_key(tmp_path, os.urandom) == b"k" * 32
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_secret_of_another_length_is_no_secret(tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_bytes(b"short")
    with pytest.raises(BedtimeError, match="secret_key is 5 bytes long: expected 32"):
        premises.secret_key(tmp_path, os.urandom)


def test_the_link_stays_the_same_until_it_was_used(tmp_path: Path) -> None:
    house = Gatehouse(tmp_path)
    token = (house.folder / "setup_token").read_text()
    assert (Gatehouse(tmp_path).folder / "setup_token").read_text() == token
    data = {"passphrase": PASSPHRASE, "pin": PIN}
    assert house.calls(Role.NOBODY, f"/setup/{token}", "POST", data=data).status_code == 303
    assert premises.known_setup_token(house.folder) is None
    Gatehouse(tmp_path)
    assert premises.known_setup_token(house.folder) is None


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("[::1]", True), ("localhost", True),
        ("LOCALHOST", True), ("::ffff:127.0.0.1", True), ("0.0.0.0", False), ("::", False), ("192.168.1.20", False),
        ("localhost.evil.example", False), ("127.0.0.1.evil.example", False), ("", False), ("::ffff:10.0.0.1", False),
    ],
)  # fmt: skip
def test_loopback_is_this_machine_and_no_other(host: str, loopback: bool) -> None:
    assert premises.is_loopback(host) is loopback


def test_the_link_names_an_address_that_other_devices_can_call(tmp_path: Path) -> None:
    plain, named = settings(tmp_path), settings(tmp_path, hosts="https://story.home")
    everywhere = premises.url_for_others(plain, host="0.0.0.0", port=5000)
    assert everywhere.endswith(":5000") and "0.0.0.0" not in everywhere
    assert premises.url_for_others(plain, host="192.168.1.20", port=80) == "http://192.168.1.20"
    assert premises.url_for_others(plain, host="fd00::7", port=5000) == "http://[fd00::7]:5000"
    assert premises.url_for_others(named, host="127.0.0.1", port=5000) == "https://story.home"
    text = premises.invitation(named, host="127.0.0.1", port=5000, token="abc")
    assert text.splitlines()[-1].strip() == "https://story.home/setup/abc"


def test_no_address_that_lets_somebody_in_stands_in_the_log() -> None:
    for path in ("/setup/0123abc", "/pair/abcd-efgh-ijkl"):
        line = '%s - - [%s] "%s" %s %s'
        args = ("127.0.0.1", "now", f"GET {path} HTTP/1.1", "200", "-")
        record = logging.LogRecord("werkzeug", logging.INFO, "x", 1, line, args, None)
        assert WithoutSecrets().filter(record)
        assert path.rsplit("/", 1)[1] not in record.getMessage()
        assert path.rsplit("/", 1)[0] + "/…" in record.getMessage()
