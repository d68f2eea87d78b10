"""A house in this process, put together as the product is, and visitors of every role who call it from the network."""

import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask, request
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

import app
from bedtime import doorkeeper, household
from bedtime.db import Database
from bedtime.doorkeeper import Entrance
from bedtime.household import Secrets
from bedtime.settings import load
from bedtime.web.access import Role
from bedtime.web.house import House

PASSPHRASE, PIN = "four lamps in the hall", "482915"
OUTSIDE = "192.168.7.7"
HTML = "text/html"
VALUES: dict[str, Any] = {"name": "stories", "kind": "txt", "token": "x", "code": "x", "filename": "app.js"}
KEYS = {Role.READER: "readers", Role.GROWN_UP: "grown-ups", Role.WITH_PIN: "with-the-pin", Role.SCRIPT: "scripts"}


@cache
def _secrets() -> Secrets:
    return doorkeeper.hash_secrets(PASSPHRASE, PIN, salts=(b"1" * 16, b"2" * 16))


class Gatehouse:
    """`let_in` hears the endpoint of each request that the doors let through, once `only_the_gate` was said.

    Its clock stands where `clock` puts it: nothing ends because the machine is slow.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        environ = {f"BEDTIME_{name.upper()}": value for name, value in settings.items()}
        self.folder = folder / "instance"
        self.app: Flask = app.build(load(environ, root=folder))[0]
        self.database: Database = self.app.extensions["bedtime"].database
        self.client = self.app.test_client(use_cookies=False)
        self.let_in: list[str | None] = []
        self._opened_at = time.time()
        self.clock(0)

    def only_the_gate(self) -> None:
        """Behind the doors stands nobody but a witness, so that no view has an effect."""
        self.app.before_request(self._witness)

    def set_up(self) -> None:
        """Passphrase and PIN, and a device of every role."""
        now = self._opened_at
        assert doorkeeper.set_up(self.database, _secrets(), Entrance("first", None, "computer"), now=now)
        for role, name in (
            (Role.READER, "reader"),
            (Role.GROWN_UP, "grown_up"),
            (Role.WITH_PIN, "grown_up"),
            (Role.SCRIPT, "script"),
        ):
            self.add(role, name, now=now)

    def add(self, role: Role, name: str, *, now: float) -> None:
        until = now + doorkeeper.PIN_SECONDS if role is Role.WITH_PIN else 0.0
        cap = 10_000_000 if role is Role.SCRIPT else None
        with self.database.transaction("test") as tx:
            household.add_device(
                tx, name=name, role=name, key=KEYS[role], now=now, pin_until=until, daily_cap_micros=cap
            )

    def calls(
        self, role: Role, path: str, method: str = "GET", *, headers: dict[str, str] | None = None, **more: Any
    ) -> TestResponse:
        """One request of a visitor from the network."""
        sent = {"Host": OUTSIDE, "Accept": HTML, **self.shows(role), **(headers or {})}
        return self.client.open(path, method=method, headers=sent, environ_base={"REMOTE_ADDR": OUTSIDE}, **more)

    def shows(self, role: Role) -> dict[str, str]:
        """The header by which a visitor of this role is known."""
        if role is Role.NOBODY:
            return {}
        if role is Role.SCRIPT:
            return {"Authorization": f"Bearer {KEYS[role]}"}
        return {"Cookie": f"{self.app.config['SESSION_COOKIE_NAME']}={KEYS[role]}"}

    def routes(self) -> list[tuple[str, str, str]]:
        """Endpoint, method and a path for it, of every route but OPTIONS."""
        return [
            (rule.endpoint, method, self._path(rule))
            for rule in self.app.url_map.iter_rules()
            for method in sorted((rule.methods or set()) - {"OPTIONS"})
        ]

    def clock(self, seconds: float) -> None:
        """From now on it is so much later in the house than when it was opened."""
        house: House = self.app.extensions["bedtime"]
        self.app.extensions["bedtime"] = replace(house, clock=lambda: self._opened_at + seconds)

    def _path(self, rule: Rule) -> str:
        values = {name: VALUES.get(name, 999_999) for name in rule.arguments}
        with self.app.test_request_context():
            built = self.app.url_map.bind("x").build(rule.endpoint, values, method=next(iter(rule.methods or {"GET"})))
        return built.removeprefix("http://x")

    def _witness(self) -> tuple[str, int]:
        self.let_in.append(request.endpoint)
        return "", 204
