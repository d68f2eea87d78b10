"""`flask` commands beside a house, as a person or a script gives them: real processes, real exit codes."""

import os
import subprocess
import sys
from typing import Any

from running import Running


def flask(house: Running, *command: str, **settings: object) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; it works on the folder of `house`, whether that is served or not."""
    return subprocess.run(**how(house, *command, **settings), capture_output=True, text=True, timeout=60)


def starting(house: Running, *command: str, **streams: Any) -> subprocess.Popen[str]:
    """Begin a command, and leave it to the test to wait for its end."""
    return subprocess.Popen(**{**how(house, *command), **streams}, text=True)


def how(house: Running, *command: str, **settings: object) -> dict[str, Any]:
    more = {f"BEDTIME_{name.upper()}": str(value) for name, value in settings.items()}
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("BEDTIME_", "FLASK_"))}
    environment |= {"BEDTIME_INSTANCE": str(house.folder), **house.settings, **more}
    return {"args": [sys.executable, "-m", "flask", *command], "cwd": house.root, "env": environment}


def said(done: subprocess.CompletedProcess[str], code: int) -> str:
    """What a command said on either stream, once its exit code is the expected one; never a traceback."""
    everything = done.stdout + done.stderr
    assert "Traceback" not in everything, everything
    assert done.returncode == code, everything
    return everything
