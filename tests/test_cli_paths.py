"""Commands at paths that cannot be used, and beside files of others: a sentence each time, and nothing else is touched."""

import os
import subprocess
from pathlib import Path

import pytest
from disks import small_disk
from running import ROOT, Running
from terminal import flask, how, said

TOO_LONG = "x" * 300 + ".db"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Running:
    """A house that was served once, and is not now."""
    house = Running(tmp_path_factory.mktemp("paths") / "house").start()
    house.__exit__()
    return house


def at(folder: Path, house: Running, *command: str) -> subprocess.CompletedProcess[str]:
    """A command that is given in this folder, with names as they are typed there."""
    given = how(house, *command)
    given["env"] |= {"FLASK_APP": str(ROOT / "app.py")}
    return subprocess.run(**{**given, "cwd": folder}, capture_output=True, text=True, timeout=60)


# --- paths that cannot be used --------------------------------------------------------------------


@pytest.mark.parametrize("command", ["backup", "export", "restore"])
def test_a_name_that_no_disk_takes_is_a_sentence(house: Running, tmp_path: Path, command: str) -> None:
    text = said(at(tmp_path, house, command, TOO_LONG), 1)
    assert text.startswith(f"Error: {tmp_path / TOO_LONG}") and "File name too long" in text


@pytest.mark.parametrize("command", ["backup", "export"])
def test_a_folder_that_is_a_file_is_a_sentence(house: Running, tmp_path: Path, command: str) -> None:
    (tmp_path / "stick").write_text("precious")
    text = said(at(tmp_path, house, command, "stick/all"), 1)
    assert text.startswith(f"Error: {tmp_path / 'stick' / 'all'} cannot be written (Not a directory)")
    assert (tmp_path / "stick").read_text() == "precious"


@pytest.mark.parametrize("command", ["backup", "export"])
def test_a_disk_that_takes_nothing_is_a_sentence(house: Running, tmp_path: Path, command: str) -> None:
    with small_disk(tmp_path / "stick", mib=80) as disk:
        disk.read_only()
        text = said(at(tmp_path, house, command, "stick/all"), 1)
        disk.writable()
        assert text.startswith(f"Error: {tmp_path / 'stick' / 'all'} cannot be written (")
        assert list((tmp_path / "stick").iterdir()) == []


@pytest.mark.parametrize("command", [("backup",), ("backup", "--list"), ("restore", "kept.db"), ("doctor",)])
def test_backups_that_are_no_folder_are_a_sentence(tmp_path: Path, command: tuple[str, ...]) -> None:
    house = Running(tmp_path / "house").start()
    house.__exit__()
    (house.folder / "backups").write_text("precious")
    text = said(at(tmp_path, house, *command), 1)
    assert f"{house.folder / 'backups'} cannot be used (" in text
    assert (house.folder / "backups").read_text() == "precious"


def test_a_lock_that_is_no_file_is_a_sentence(tmp_path: Path) -> None:
    house = Running(tmp_path / "house")
    (house.folder / "worker.lock").mkdir(parents=True)
    assert "worker.lock cannot be used (Is a directory)" in said(flask(house, "restore", "kept.db"), 1)


def test_a_reader_who_has_enough_is_told_nothing(house: Running) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(**how(house, "doctor"), stdout=writes, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writes)
    assert (done.returncode, done.stderr) == (1, "")


# --- files of others ------------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "name"), [("export", "a.zip"), ("export", "plain"), ("backup", "b.db")])
def test_nothing_that_lies_beside_the_file_is_touched(house: Running, tmp_path: Path, command: str, name: str) -> None:
    for number in (1, 2):
        (tmp_path / f"{name}.part").write_text("precious")
        text = said(at(tmp_path, house, command, name), number - 1)
        assert text.startswith(str(tmp_path / name) if number == 1 else f"Error: {tmp_path / name} is there already")
        made = [f"{name}.sha256"] if command == "backup" else []
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, f"{name}.part", *made])
        assert (tmp_path / f"{name}.part").read_text() == "precious"


def test_a_backup_overwrites_no_hash_that_was_there_before(house: Running, tmp_path: Path) -> None:
    (tmp_path / "b.db.sha256").write_text("precious")
    assert said(at(tmp_path, house, "backup", "b.db"), 1).startswith(
        f"Error: {tmp_path / 'b.db.sha256'} is there already"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["b.db.sha256"]
    assert (tmp_path / "b.db.sha256").read_text() == "precious"
