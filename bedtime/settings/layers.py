"""Where settings are written: the environment, `instance/settings.toml`, the key's own file."""

import difflib
import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from bedtime.errors import SettingsError

PREFIX = "BEDTIME_"


@dataclass(frozen=True, slots=True)
class Layer:
    """One place where settings are written; `called` is how a message names a setting there."""

    source: str
    texts: Mapping[str, str]
    called: Callable[[str], str]


def environment(environ: Mapping[str, str], *, names: frozenset[str]) -> Layer:
    """What the environment says; raises SettingsError for a BEDTIME_ name that is none of `names`, never with its value."""
    texts = {name.removeprefix(PREFIX): text.strip() for name, text in environ.items() if name.startswith(PREFIX)}
    for name in sorted(texts.keys() - names - {"INSTANCE"}):
        raise SettingsError(f"{PREFIX}{name} is not a setting: {_nearest(name, names, lambda near: PREFIX + near)}")
    return Layer("environment", texts, lambda name: PREFIX + name)


def settings_file(path: Path, *, names: frozenset[str]) -> Layer:
    """What a TOML file says under the same names in lower case; raises SettingsError. No file says nothing."""
    written = _read_toml(path)
    if "instance" in written:
        raise SettingsError(f"instance in {path} has no effect: set BEDTIME_INSTANCE in the environment")
    for name in sorted(name for name in written if name.upper() not in names or name != name.lower()):
        raise SettingsError(f"{name} in {path} is not a setting: {_nearest(name.upper(), names, str.lower)}")
    texts = {name.upper(): _text(name, value, path) for name, value in written.items()}
    return Layer("settings.toml", texts, lambda name: f"{name.lower()} in {path}")


def key_file(path: Path) -> Layer:
    """The key, where it stands in a file of its own."""
    text = _kept_private(path).decode("ascii", "replace").strip()
    return Layer("llm_key file", {"LLM_KEY": text}, lambda _: str(path))


def _nearest(name: str, names: frozenset[str], called: Callable[[str], str]) -> str:
    near = difflib.get_close_matches(name, sorted(names), n=1)
    return f"did you mean {called(near[0])}?" if near else "README.md lists the settings"


def _read_toml(path: Path) -> dict[str, Any]:
    content = _kept_private(path, only_if=b"llm_key")
    try:
        return tomllib.loads(content.decode(), parse_float=Decimal)
    except UnicodeDecodeError as error:
        line, reason = content[: error.start].count(b"\n") + 1, "it is not UTF-8"
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"\(at line (\d+),", str(error))
        line = int(at[1]) if at else content.count(b"\n") + 1
        reason = re.sub(r" \(at .*", "", str(error))
    raise SettingsError(f"{path}, line {line}, is not TOML: {reason}")


def _kept_private(path: Path, *, only_if: bytes = b"") -> bytes:
    """A file's bytes, none if it isn't there; one that holds `only_if` is closed to group and others first."""
    try:
        with path.open("rb") as file:
            content = file.read()
            if only_if in content and os.fstat(file.fileno()).st_mode & 0o077:
                os.fchmod(file.fileno(), 0o600)
                if os.fstat(file.fileno()).st_mode & 0o077:
                    raise PermissionError(0, "others can read it, and its mode does not change")
            return content
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be read safely ({error.strerror}): expected a file of yours with mode 0600"
        ) from None


def _text(name: str, value: object, path: Path) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case str() | int() | Decimal():
            return str(value).strip()
        case list() if all(isinstance(part, str) for part in value):
            return ",".join(value)
        case dict():
            return json.dumps(value, default=lambda part: float(part) if isinstance(part, Decimal) else str(part))
    raise SettingsError(f"{name} in {path} is a {type(value).__name__}: expected text or a number")
