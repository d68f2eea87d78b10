"""The README tells the truth: commands, promises, map, settings, links and pictures are what they say."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from test_floors import FLOORS

from bedtime.settings import TABLE

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
MOST_LINES = 220


def section(heading: str) -> str:
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", README, re.M | re.S)
    assert found, f"README.md has no section “{heading}”"
    return found[1]


def links() -> list[tuple[str, str]]:
    """Text and target of every link, and every picture."""
    pictures = [("", target) for target in re.findall(r'src="([^"]+)"', README)]
    return pictures + [(text, target) for text, target in re.findall(r"\[([^\]]+)\]\(([^)\s]+)\)", README)]


@cache
def names_in(path: str) -> set[str]:
    return {node.name for node in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(node, ast.FunctionDef)}


def promises() -> list[str]:
    return re.split(r"^\d\. ", section("What it promises"), flags=re.M)[1:]


def test_it_opens_with_one_sentence_a_picture_and_two_commands() -> None:
    sentence = README.split("\n\n")[1]
    assert len(re.findall(r"[.!?](?:\s|$)", sentence)) == 1
    assert README.index("docs/pictures/") < README.index("make run")
    assert len(README.splitlines()) <= MOST_LINES


def test_its_commands_are_targets_of_the_makefile() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.M))
    commands = re.findall(r"^make (\w+)", section("Two commands"), re.M)
    assert commands == ["run", "test"]
    assert {"run", "test", *re.findall(r"`make (\w+)", README)} <= targets


def make(folder: Path, *words: str, **environment: str) -> str:
    """What make says to these words; not as a part of the make that runs the tests."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", *words], cwd=folder, env=ours | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_only_the_command_itself_opens_the_server_to_the_network() -> None:
    assert "BEDTIME_HOST=0.0.0.0 BEDTIME_PORT=5123 exec" in make(ROOT, "-n", "run", "HOST=0.0.0.0", "PORT=5123")
    exported = make(ROOT, "-n", "run", HOST="0.0.0.0", PORT="5123")
    assert "app.py" in exported and "BEDTIME_" not in exported


PYTHON_OF_TOMORROW = """#!/bin/sh
case "$*" in
  --version) echo Python {version} ;;
  "-m venv --clear .venv") rm -r .venv && mkdir .venv ;;
esac
"""


@pytest.mark.parametrize(
    ("version", "runs", "stays"), [("{0}.{1}.99", True, True), ("{0}.{1}.99", False, False), ("3.99.1", True, False)]
)
def test_an_environment_stays_for_its_own_python_and_gives_way_for_another(
    tmp_path: Path, version: str, runs: bool, stays: bool
) -> None:
    """Its packages outlive a new patch release, and an update that finds no network must not take them away."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    version = version.format(*sys.version_info)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    package = tmp_path / ".venv" / "package"
    for made in (package, tmp_path / ".venv" / "run.done", tmp_path / ".venv" / "test.done"):
        made.touch()
    its_own, tomorrow = tmp_path / ".venv" / "bin" / "python", tmp_path / "tomorrow" / "python3"
    tomorrow.parent.mkdir()
    its_own.write_text(f'#!/bin/sh\nexec {sys.executable if runs else "/gone"} "$@"\n')
    tomorrow.write_text(PYTHON_OF_TOMORROW.format(version=version))
    its_own.chmod(0o700)
    tomorrow.chmod(0o700)
    path = f"{tomorrow.parent}:{os.environ['PATH']}"
    make(tmp_path, f".venv/{version}.done", PATH=path)
    assert package.exists() is stays and (tmp_path / ".venv" / f"{version}.done").exists()
    assert ("pip install" in make(tmp_path, "-n", "check", PATH=path)) is not stays


def test_each_promise_links_to_tests_that_exist() -> None:
    assert len(promises()) == 7
    for promise in promises():
        named = re.findall(r"\[`(test_\w+)`\]\((tests/\w+\.py)\)", promise)
        assert named, promise
        for name, path in named:
            assert name in names_in(path), f"{path} has no {name}"


@pytest.mark.parametrize("target", sorted({target for _, target in links()}))
def test_what_it_links_to_is_there(target: str) -> None:
    assert not target.startswith("http")
    path = ROOT / target
    assert path.is_file()
    if path.suffix == ".png":
        content = path.read_bytes()
        assert content.startswith(b"\x89PNG")
        width, height = (int.from_bytes(content[at : at + 4]) for at in (16, 20))
        assert width >= 320
        assert height >= 320


def drawn() -> str:
    found = re.search(r"```\n(app\.py.*?)```", section("The map"), re.S)
    assert found
    return found[1]


def test_the_map_shows_the_floors_as_they_are() -> None:
    lines = dict(re.findall(r"^  (\d)  .+?   +(\S.*)$", drawn(), re.M))
    shown = [{name.rstrip("/") for name in lines[str(floor)].split()} for floor in range(len(lines))]
    assert [*shown, {"app"}] == [set(floor) for floor in FLOORS]
    for name in (name for line in lines.values() for name in line.split()):
        assert (ROOT / "bedtime" / name).is_dir() if name.endswith("/") else (ROOT / f"bedtime/{name}.py").is_file()


def ours(folder: Path) -> Iterator[str]:
    """What stands in a folder and belongs to the project."""
    ignored = {line.strip("/") for line in (ROOT / ".gitignore").read_text().split()}
    for path in folder.iterdir():
        if path.name not in ignored and not path.name.startswith((".", "__")) and path.suffix != ".egg-info":
            yield path.name


def test_the_map_names_every_folder_and_nothing_that_is_not_there() -> None:
    top = set(re.findall(r"^(\w[\w.]*)/? ", drawn(), re.M)) | {"bedtime"}
    code = {name for name in ours(ROOT) if (ROOT / name).is_dir() or name.endswith(".py")}
    assert top - {"instance"} == code
    inside = set(re.findall(r"^  ([a-z]\w*)/ ", drawn(), re.M))
    floors = {name for floor in FLOORS for name in floor}
    folders = {name for name in ours(ROOT / "bedtime") if (ROOT / "bedtime" / name).is_dir()}
    assert inside == folders - floors


def test_the_table_has_every_setting_with_its_default_and_no_other() -> None:
    rows = re.findall(r"^\| `BEDTIME_(\w+)` \| (.*?) \|", section("The settings"), re.M)
    expected = {setting.name: f"`{setting.default}`" if setting.default else "none" for setting in TABLE}
    assert len(rows) == len(dict(rows))
    assert dict(rows) == {**expected, "INSTANCE": "`instance`"}


def test_every_setting_that_it_mentions_is_one() -> None:
    names = {setting.name for setting in TABLE} | {"INSTANCE"}
    assert set(re.findall(r"BEDTIME_(\w+)", README)) <= names
