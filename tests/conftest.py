"""What tests are given: a migrated file, a house in this process, the product as a process, the provider."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from nursery import Nursery
from provider import Provider
from queue_rules import Queue
from running import Running
from workbench import Workbench

from bedtime.db import Database

pytest_plugins = ["browser"]

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")  # a busy machine is no fault


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What tests measured and a person should see: the rates of the checks of safety."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    for line in [value for report in reports for name, value in report.user_properties if name == "safety"]:
        terminalreporter.write_line(f"safety: {line}")


@pytest.fixture(scope="session", autouse=True)
def nursery() -> Iterator[None]:
    """Where the houses of all tests are born."""
    with Nursery() as Running.nursery:
        yield


@pytest.fixture
def caplog(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What is logged from INFO up, whatever level a house in this process has set before."""
    caplog.set_level(logging.INFO)
    return caplog


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated file; this thread's connection is closed at the end."""
    database = Database(tmp_path / "instance" / "bedtime.db")
    database.open()
    yield database
    database.close()


@pytest.fixture
def queue(database: Database) -> Queue:
    """The queue of a migrated file, verb by verb."""
    return Queue(database)


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[Provider]:
    """The one fake: a provider in its own process, which keeps its own ledger."""
    with Provider(tmp_path / "bills.jsonl") as provider:
        yield provider


@pytest.fixture
def household(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Makes houses: `household(llm_url=…)`; each is started, and ends with the test."""
    houses: list[Running] = []

    def make(name: str = "house", **settings: object) -> Running:
        houses.append(Running(tmp_path / name, **settings))
        return houses[-1].start()

    yield make
    for house in houses:
        house.__exit__()


@pytest.fixture
def paid(household: Callable[..., Running], provider: Provider) -> Callable[..., Running]:
    """Makes houses whose stories come from the provider and cost money."""

    def make(name: str = "house", **settings: object) -> Running:
        return household(name, **{**paid_settings(provider), **settings})

    return make


def paid_settings(provider: Provider) -> dict[str, object]:
    return {
        "llm_url": provider.url,
        "llm_model": "storyteller-1",
        "llm_key": "test-key",
        "price_in": "1",
        "price_out": "4",
        "monthly_cap": "5.00",
    }


@pytest.fixture
def workbench(tmp_path: Path, provider: Provider) -> Iterator[Callable[..., Workbench]]:
    """Makes workbenches: `workbench(price=…)`, each with a file of its own and the one provider."""
    made: list[Workbench] = []

    def make(**more: Any) -> Workbench:
        made.append(Workbench(tmp_path / f"workbench{len(made)}", provider, **more))
        return made[-1]

    yield make
    for one in made:
        one.database.close()
