"""`/metrics`: Prometheus can read it, nobody is named in it, and it is closed to whoever has no business there."""

import re
from collections.abc import Callable

from doors import Device, paired, set_up, token_of
from provider import Provider
from running import Running

Houses = Callable[..., Running]

SAMPLE = re.compile(
    r"(?P<name>[a-z_][a-z0-9_]*)(?:\{(?P<labels>[a-z_]+=\"[^\"\\\n]*\"(?:,[a-z_]+=\"[^\"\\\n]*\")*)\})? (?P<value>\S+)"
)


def read(text: str) -> dict[tuple[str, str], float]:
    """Every sample of the text format, which is checked line by line."""
    assert text.endswith("\n")
    typed: set[str] = set()
    found: dict[tuple[str, str], float] = {}
    for line in text.splitlines():
        if line.startswith("# HELP "):
            assert re.fullmatch(r"# HELP bedtime_[a-z0-9_]+ \S.*", line)
        elif line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            assert kind == "gauge" and name not in typed
            typed.add(name)
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample and sample["name"] in typed, line
            assert (sample["name"], sample["labels"] or "") not in found
            found[sample["name"], sample["labels"] or ""] = float(sample["value"])
    return found


def test_prometheus_can_read_every_line(paid: Houses, provider: Provider) -> None:
    provider.queue("ok", "cut_stream", "status:400")
    house = paid()
    empty = read(house.get("/metrics").text)
    assert empty["bedtime_queue_pending", 'queue="stories"'] == 0
    for _ in range(3):
        house.ended(house.asked(idea="a very secret dragon"))
    answer = house.get("/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = read(answer.text)
    assert found["bedtime_jobs", 'queue="stories",status="completed"'] == 1
    assert found["bedtime_jobs_failed", 'queue="stories",code="maybe_billed"'] == 1
    assert found["bedtime_month_settled", 'currency="USD"'] == 0.003232
    [unknown] = house.rows("SELECT reserved_micros FROM calls WHERE status = 'unknown'")
    assert found["bedtime_month_unknown", 'currency="USD"'] == unknown["reserved_micros"] / 1e6
    assert (found["bedtime_month_cap", 'currency="USD"'], found["bedtime_month_unknown_calls", ""]) == (5, 1)
    assert found["bedtime_worker", 'place="here"'] == 1
    for word in ("Mia", "dragon", "Lamp", "storyteller-1"):
        assert word not in answer.text


def test_a_pause_and_a_new_cap_are_in_it_at_once(paid: Houses) -> None:
    house = paid()
    house.post("/queues/stories/pause")
    house.post("/money/cap", data={"cap": "1.25"})
    found = read(house.get("/metrics").text)
    assert found["bedtime_queue_paused", 'queue="stories"'] == 1
    assert found["bedtime_month_cap", 'currency="USD"'] == 1.25


def test_a_scripts_token_and_a_grown_up_may_read_it_and_nobody_else(household: Houses) -> None:
    house = household()
    phone = set_up(house)
    tablet, nobody = paired(phone), Device(house)
    token = {"Authorization": f"Bearer {token_of(phone)}", "Accept": "application/openmetrics-text;q=0.9,*/*;q=0.1"}
    assert read(nobody.get("/metrics", headers=token).text)
    assert read(phone.get("/metrics").text)
    for device, more in ((tablet, {}), (nobody, {}), (nobody, {"Authorization": "Bearer guessed"})):
        answer = device.get("/metrics", headers=more)
        assert answer.status_code != 200 and "bedtime_" not in answer.text
    assert nobody.get("/money", headers=token).status_code == 403, "and it opens nothing else"
