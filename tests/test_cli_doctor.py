"""`flask doctor`: what is set, what is wrong, and what to do about it; without spending, without showing a key."""

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from provider import Provider
from raw import names
from running import Running
from terminal import flask, said

from bedtime.cli import checks
from bedtime.db.place import is_network, mounted

KEY = "sk-canary-of-the-doctor"


def line(text: str, subject: str) -> str:
    """`level subject text` of the first finding about something."""
    return next(found for found in text.splitlines() if re.match(rf"(ok|note|wrong) +{subject}\b", found))


def test_a_house_in_order_is_told_to_be_so(paid: Callable[..., Running], provider: Provider) -> None:
    house = paid(llm_model="test", llm_key=KEY)
    text = said(flask(house, "doctor"), 0)
    assert not re.search(r"^(wrong|note)", text, re.MULTILINE), text
    for subject in ("sqlite", "files", "disk", "clock", "database", "server", "storyteller", "price"):
        assert line(text, subject).startswith("ok")
    assert "knows test" in text
    assert (provider.requests(), KEY in text) == ([], False)


def test_every_setting_is_shown_with_where_it_came_from(paid: Callable[..., Running]) -> None:
    house = paid(llm_key=KEY)
    (house.folder / "settings.toml").write_text('currency = "EUR"\nllm_extra = {secret = "canary"}\n')
    (house.folder / "settings.toml").chmod(0o600)
    text = said(flask(house, "doctor"), 1)
    assert re.search(r"BEDTIME_LLM_KEY +set +\(environment\)", text)
    assert re.search(r"BEDTIME_LLM_EXTRA +set +\(settings.toml\)", text)
    assert re.search(r"BEDTIME_CURRENCY +EUR +\(settings.toml\)", text)
    assert re.search(r"BEDTIME_QUEUE_MAX +8 +\(default\)", text)
    assert re.search(r"BEDTIME_PRICE_OUT +4.00 +\(environment\)", text)
    assert (KEY in text, "canary" in text) == (False, False)


def test_a_key_from_its_file_is_told_by_its_place_only(paid: Callable[..., Running]) -> None:
    house = paid(llm_model="test", llm_key="")
    (house.folder / "llm_key").write_text(KEY)
    text = said(flask(house, "doctor"), 0)
    assert re.search(r"BEDTIME_LLM_KEY +set +\(llm_key file\)", text)
    assert KEY not in text


WRONG: list[tuple[str, dict[str, object], str, str]] = [
    ("not reached", {"llm_url": "http://127.0.0.1:9/v1"}, "storyteller", "could not be reached"),
    ("unknown model", {"llm_model": "another"}, "storyteller", "does not list another, but test"),
    (
        "unknown price",
        {"price_in": "", "price_out": "", "llm_url": "https://llm.invalid/v1"},
        "price",
        "nobody here knows",
    ),
]


@pytest.mark.parametrize(("name", "settings", "subject", "words"), WRONG, ids=names(WRONG))
def test_what_keeps_the_storyteller_from_telling_is_named(
    paid: Callable[..., Running], name: str, settings: dict[str, object], subject: str, words: str
) -> None:
    house = paid(llm_model="test")
    text = said(flask(house, "doctor", **settings), 1)
    assert line(text, subject).startswith("wrong") and words in line(text, subject)


def test_a_server_that_does_not_run_is_named(household: Callable[..., Running]) -> None:
    house = household()
    assert line(said(flask(house, "doctor"), 0), "server").startswith("ok")
    house.kill()
    assert "make run" in line(said(flask(house, "doctor"), 1), "server")


def test_a_paused_queue_is_named_with_what_to_do(paid: Callable[..., Running]) -> None:
    house = paid(llm_model="test")
    said(flask(house, "jobs", "pause"), 0)
    assert "stories is paused" in line(said(flask(house, "doctor"), 1), "queue")


def test_a_file_that_others_can_read_is_named_with_how_to_close_it(household: Callable[..., Running]) -> None:
    house = household()
    (house.folder / "bedtime.db").chmod(0o644)
    (house.folder / "spool").chmod(0o755)
    found = list(checks.files(house.folder))
    assert [finding.level for finding in found] == ["wrong", "wrong"]
    assert f"chmod 600 {house.folder / 'bedtime.db'}" in found[0].text
    assert f"chmod 700 {house.folder / 'spool'}" in found[1].text


def test_without_a_database_the_rest_is_looked_at_all_the_same(tmp_path: Path) -> None:
    house = Running(tmp_path / "house")
    text = said(flask(house, "doctor"), 1)
    assert "no database yet" in line(text, "database")
    assert line(text, "storyteller").startswith("ok")
    assert not house.folder.exists()


def test_a_clock_behind_its_own_files_is_wrong(tmp_path: Path) -> None:
    written = tmp_path / "bedtime.db"
    written.touch()
    now = time.time()
    assert [finding.level for finding in checks.clock(tmp_path, now=now)] == ["ok"]
    os.utime(written, (now + 3600, now + 3600))
    assert [finding.level for finding in checks.clock(tmp_path, now=now)] == ["wrong"]


@pytest.mark.parametrize("now", [0.0, 86400.0 * 365, 86400.0 * 365 * 200])
def test_a_year_that_cannot_be_is_wrong(tmp_path: Path, now: float) -> None:
    assert [finding.level for finding in checks.clock(tmp_path, now=now)] == ["wrong"]


KINDS = [
    *((kind, True) for kind in ("nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "fuse.rclone", "9p", "ceph")),
    *((kind, False) for kind in ("ext4", "btrfs", "xfs", "apfs", "overlay", "tmpfs", "fuseblk", "zfs", "fuse.lxcfs")),
]


@pytest.mark.parametrize(("kind", "network"), KINDS)
def test_a_network_file_system_is_known_by_its_kind(tmp_path: Path, kind: str, network: bool) -> None:
    mounts, folder = tmp_path / "mounts", tmp_path / "my nas" / "bedtime"
    folder.mkdir(parents=True)
    place = str(tmp_path / "my nas").replace(" ", "\\040")
    mounts.write_text(f"/dev/sda / ext2 rw 0 0\nnas:/ {place} {kind} rw 0 0\nnas:/ {tmp_path}/my nfs rw 0 0\n")
    assert mounted(folder, mounts=mounts) == kind
    assert is_network(kind) == network


def test_a_machine_without_a_list_of_mounts_is_no_error(tmp_path: Path) -> None:
    assert mounted(tmp_path, mounts=tmp_path / "none") is None
