"""The pages for years at home tell the truth: the unit's stop time, the names of settings, commands and files."""

import configparser
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT, eventually

from bedtime import cli
from bedtime.settings import TABLE

DOCS = ROOT / "docs"
PAGE = (DOCS / "home-server.md").read_text()


def unit() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(DOCS / "bedtime.service")
    return parser["Service"]


def test_the_unit_waits_longer_than_the_longest_call_takes_to_end() -> None:
    total = next(float(setting.default or 0) for setting in TABLE if setting.name == "LLM_TOTAL_SECONDS")
    assert int(unit()["TimeoutStopSec"]) >= total + 30
    assert unit()["KillSignal"] == "SIGTERM" and f"is {unit()['TimeoutStopSec']}" in PAGE


def test_every_setting_command_and_file_that_is_named_is_one() -> None:
    whole = PAGE + (DOCS / "bedtime.service").read_text() + (DOCS / "Caddyfile").read_text()
    settings = {setting.name for setting in TABLE} | {"INSTANCE"}
    assert set(re.findall(r"BEDTIME_([A-Z_]+[A-Z])", whole)) <= settings
    commands = {command.name for command in cli.COMMANDS}
    assert set(re.findall(r"(?:`|^)(?:bedtime|flask) (\w+)", PAGE, re.M)) <= commands
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert target.startswith("https://") or (DOCS / target).is_file(), target
    anchors = {
        re.sub(r"[^\w -]", "", line[3:].lower()).replace(" ", "-") for line in PAGE.splitlines() if line[:3] == "## "
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_every_file_that_a_command_is_given_is_named_from_the_root_on() -> None:
    """The alias runs in the program's folder: a relative name would lie where nobody looks for it."""
    assert "env -C /opt/bedtime" in PAGE
    given = re.findall(r"\bbedtime (?:backup|restore|export) ([^-\s`][^\s`]*)", PAGE)
    assert len(given) >= 5 and [file for file in given if not file.startswith("/")] == []


def test_leaving_removes_nothing_that_was_taken_along_and_looks_for_it_first() -> None:
    before, removed, _ = re.split(r"^rm -r (.+)$", section("Leaving"), maxsplit=1, flags=re.M)
    (taken,) = re.findall(r"^bedtime export (\S+)", before, re.M)
    assert f"ls -l {taken}" in before
    assert [folder for folder in removed.split() if Path(taken).is_relative_to(folder)] == []


def test_moving_leaves_no_copy_in_the_folder_of_the_program() -> None:
    moving = section("Moving to another machine")
    (restored,) = re.findall(r"^bedtime restore (\S+)", moving, re.M)
    assert f"\nrm {restored} " in moving.partition("bedtime restore")[2]


def test_what_the_unit_starts_serves_and_ends_with_grace(tmp_path: Path) -> None:
    """Its command in its environment, with our folders in the place of its own."""
    command = (
        unit()["ExecStart"].replace("/opt/bedtime/.venv/bin/python", sys.executable).replace("/opt/bedtime", str(ROOT))
    )
    given = dict(
        line.partition("=")[::2]
        for line in re.findall(r"^Environment=(.+)$", (DOCS / "bedtime.service").read_text(), re.M)
    )
    given |= {"BEDTIME_INSTANCE": str(tmp_path / "state"), "BEDTIME_PORT": "0", "PATH": os.environ["PATH"]}
    process = subprocess.Popen(command.split(), cwd=tmp_path, env=given, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        assert "http://127.0.0.1" in process.stdout.readline()
        assert "works once" in process.stdout.readline() and "https://story.home/setup/" in process.stdout.readline()
        eventually(lambda: (tmp_path / "state" / "worker.lock").exists(), what="the worker")
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        process.stdout.close()
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("line", ["tls internal", "reverse_proxy 127.0.0.1:5000"])
def test_the_proxy_leads_to_where_the_unit_listens(line: str) -> None:
    assert line in (DOCS / "Caddyfile").read_text()
    assert "Environment=BEDTIME_HOST=127.0.0.1" in (DOCS / "bedtime.service").read_text()
    assert "Environment=BEDTIME_HOSTS=https://story.home" in (DOCS / "bedtime.service").read_text()
