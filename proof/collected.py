"""Runs tests in one go, four at once, and says of each how it ended."""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path

from running import ROOT

AT_ONCE = "4"


def outcomes(tests: Iterable[str]) -> dict[str, str]:
    """By `file::name[parameters]`: "" if it passed, else the first line of why not."""
    wanted = sorted(set(tests))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", AT_ONCE, "--dist", "worksteal", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, "-o", "junit_family=xunit1", f"--junitxml={report}", *_that_exist(wanted)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": ""},
            capture_output=True,
            text=True,
        )
        if not report.exists():
            raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        cases = ElementTree.parse(report).iter("testcase")
        return {f"{Path(case.get('file', '')).name}::{case.get('name')}": _why(case) for case in cases}


def _that_exist(wanted: Iterable[str]) -> list[str]:
    """A name that stands nowhere would keep pytest from running all the others."""
    known = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "tests").glob("test_*.py")}
    parts = [(test, *test.partition("[")[0].split("::")) for test in wanted]
    return [f"tests/{test}" for test, file, name in parts if f"def {name}(" in known.get(file, "")]


def _why(case: ElementTree.Element) -> str:
    for end in ("failure", "error", "skipped"):
        found = case.find(end)
        if found is not None:
            return f"{end}: {(found.get('message') or '').splitlines()[0] if found.get('message') else ''}"
    return ""
