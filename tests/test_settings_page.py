"""What a family changes in the page holds at once; what is set at the machine is shown, and a key goes to no new host."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from doors import paired, set_up
from provider import Provider
from running import Running, eventually
from terminal import flask, said
from workbench import Workbench

from bedtime import accounts, household

Houses = Callable[..., Running]
Benches = Callable[..., Workbench]

HTML = {"Accept": "text/html"}
KEY = "sk-canary-of-the-settings"
STANDS = {
    "monthly_cap_micros": "5.00",
    "expiry_hours": "12",
    "zone": "Europe/Berlin",
    "language": "en",
    "approval": "yes",
}


def change(house: Running, **fields: str) -> int:
    """Send the form as it stands, with some fields changed; the status of the answer."""
    page = house.get("/settings", headers=HTML).text
    was = {name: unescape(text) for name, text in re.findall(r'name="was_(\w+)" value="([^"]*)"', page)}
    assert set(was) == {*STANDS, "send_names"}
    sent = {**was, **{f"was_{name}": text for name, text in was.items()}, **fields}
    return house.post("/settings", data={name: text for name, text in sent.items() if text != "no"}).status_code


def chosen(house: Running) -> dict[str, str]:
    rows = house.rows("SELECT name, value FROM settings WHERE name NOT LIKE 'key_host:%'")
    return {row["name"]: row["value"] for row in rows}


# --- the family's own -----------------------------------------------------------------------------


def test_only_what_was_changed_is_chosen_and_it_can_be_taken_back(household: Houses) -> None:
    house = household()
    assert change(house) == 303 and chosen(house) == {}
    assert change(house, monthly_cap_micros="5", expiry_hours="12,0", language="EN") == 303
    assert chosen(house) == {}, "the same, spelled otherwise"
    assert change(house, monthly_cap_micros="3,50", language="de") == 303
    assert chosen(house) == {"monthly_cap_micros": "3500000", "language": "de"}
    page = house.get("/settings").text
    assert "The month’s limit: 3.50" in page and "At the machine it says 5.00." in page
    assert house.post("/settings/back", data={"name": "language"}).status_code == 303
    assert house.post("/settings/back", data={"name": "no such thing"}).status_code == 303
    assert chosen(house) == {"monthly_cap_micros": "3500000"}


def test_a_page_that_stood_open_for_long_changes_nothing_but_what_was_changed_in_it(household: Houses) -> None:
    house = household()
    old = {
        "was_monthly_cap_micros": "5.00",
        "monthly_cap_micros": "5.00",
        "was_send_names": "no",
        "was_approval": "yes",
    }
    old |= {"approval": "yes", "was_zone": "UTC", "zone": "UTC", "was_language": "en", "language": "fr"}
    old |= {"was_expiry_hours": "12", "expiry_hours": "12"}
    assert change(house, monthly_cap_micros="1") == 303
    assert house.post("/settings", data=old).status_code == 303
    assert chosen(house) == {"monthly_cap_micros": "1000000", "language": "fr"}


BAD = {
    "monthly_cap_micros": ["-1", "NaN", "1e99", "", "a lot"],
    "expiry_hours": ["0", "-1", "NaN", "9999", "", "soon"],
    "zone": ["Mars/Olympus", "Europe/Berln", "../../etc/passwd", "", "/etc/localtime", "\u0000"],
    "language": ["x", "", "en_US; drop", "e" * 60],
}


def test_what_is_wrong_changes_nothing_and_is_kept_with_a_sentence(household: Houses) -> None:
    house = household()
    for name, texts in BAD.items():
        for text in texts:
            sent = {"language": "de", **{f"was_{field}": stood for field, stood in STANDS.items()}}
            answer = house.post("/settings", data={**STANDS, **sent, name: text}, headers=HTML)
            assert answer.status_code == 422, (name, text)
            assert "Nothing was changed yet" in answer.text and answer.text.count('class="wrong" id=') == 1, (
                name,
                text,
            )
            assert f'name="{name}"' in answer.text and 'aria-invalid="true"' in answer.text
    assert chosen(house) == {}
    assert "did you mean Europe/Berlin?" in unescape(
        house.post("/settings", data={**STANDS, "was_zone": "UTC", "zone": "Europe/Berln"}, headers=HTML).text
    )


def test_a_form_begins_with_the_familys_language_and_a_script_with_what_it_was_promised(household: Houses) -> None:
    house = household()
    assert change(house, language="pl") == 303
    assert '<option value="pl" selected>' in house.get("/", headers=HTML).text
    house.asked()
    assert house.rows("SELECT language FROM story_requests") == [{"language": "en"}]


def test_the_expiry_holds_for_the_next_wish_and_for_one_that_is_asked_again(paid: Houses) -> None:
    house = paid()
    house.post("/queues/stories/pause")
    assert change(house, expiry_hours="0,5") == 303
    job_id = house.asked()
    for verb in ("cancel", "again"):
        assert house.post(f"/stories/jobs/{job_id}/{verb}").status_code == 303
    jobs = house.rows("SELECT expires_at - created_at AS seconds FROM jobs")
    assert [job["seconds"] for job in jobs] == [pytest.approx(1800)] * 2


def test_days_are_the_familys(paid: Houses) -> None:
    house = paid()
    house.ended(house.asked())
    for zone, offset in (("Pacific/Kiritimati", "+14:00"), ("Etc/GMT+12", "-12:00")):
        assert change(house, zone=zone) == 303
        assert re.findall(r"T[\d:]{8}([+-][\d:]{5})", house.get("/money/calls.csv").text) == [offset]
        assert f'value="{zone}"' in unescape(house.get("/evenings", headers=HTML).text), "a plan begins with it"


def test_names_leave_only_while_the_family_says_so(paid: Houses, provider: Provider) -> None:
    house = paid()
    for choice, leaves in (("no", False), ("yes", True), ("no", False)):
        assert change(house, send_names=choice) == 303
        house.ended(house.asked(children=[{"nickname": "Zebedee", "band": "4-5", "pronouns": "he"}]))
        assert ("Zebedee" in provider.requests()[-1]["body"]) is leaves
    assert len(provider.requests()) == 3


@pytest.mark.parametrize(("first", "then"), [("yes", "no"), ("no", "yes")])
def test_a_telling_that_was_prepared_under_the_old_word_is_prepared_anew(
    workbench: Benches, provider: Provider, first: str, then: str
) -> None:
    house = workbench()
    choose = accounts.choose
    choose(house.database, {household.SEND_NAMES: first}, now=house.now)
    house.at["spool.reserved"] = lambda: choose(house.database, {household.SEND_NAMES: then}, now=house.now)
    job = house.told()
    assert (job.status, job.error_code, job.failures) == ("pending", "rule_changed", 0)
    assert provider.requests() == [] and house.parts.spool.kept() == [] and house.committed() == 0
    assert house.tell() and house.job(job.id).status == "completed"
    assert ("Mia" in provider.requests()[0]["body"]) is (then == "yes")


def test_a_pairing_begins_with_the_familys_word_on_approval(household: Houses) -> None:
    phone = set_up(household())
    box = r'name="approval" value="yes"( checked)?>'
    assert re.findall(box, phone.get("/devices").text) == [" checked"]
    was = {f"was_{name}": text for name, text in STANDS.items()}
    sent = {**STANDS, **was, "was_send_names": "no"}
    del sent["approval"]
    assert phone.post("/settings", data=sent).status_code == 303
    assert re.findall(box, phone.get("/devices").text) == [""]


def test_only_a_grown_up_with_the_pin_changes_anything(household: Houses) -> None:
    house = household()
    phone = set_up(house)
    tablet = paired(phone)
    laptop = paired(phone, role="grown_up")
    for device in (tablet, laptop):
        for path in ("/settings", "/money", "/queue", "/money/calls.csv"):
            answer = device.get(path)
            assert answer.status_code == 403 or answer.headers["Location"].startswith("/pin"), path
        for path in ("/settings", "/settings/back", "/settings/key", "/money/cap", "/queues/stories/pause"):
            assert device.post(path, data={**STANDS, "cap": "1", "name": "zone"}).status_code == 403, path
    assert chosen(house) == {}


# --- the machine's --------------------------------------------------------------------------------


def test_what_is_set_at_the_machine_is_shown_with_where_it_came_from_and_no_key(paid: Houses) -> None:
    house = paid(llm_key=KEY)
    page = " ".join(house.get("/settings", headers=HTML).text.split())
    assert "<dt>BEDTIME_LLM_KEY</dt><dd>set <small>from the environment</small>" in page
    assert "<dt>BEDTIME_QUEUE_MAX</dt><dd>8 <small>the default</small>" in page
    assert "BEDTIME_MONTHLY_CAP" not in page and "BEDTIME_SEND_NAMES" not in page
    house.ended(house.asked())
    for path in ("/settings", "/money", "/money/calls/1", "/queue", "/metrics", "/money/calls.csv"):
        assert KEY not in house.get(path).text, path
    assert KEY.encode() not in b"".join(file.read_bytes() for file in house.folder.iterdir() if file.is_file())


# --- a key and its host ---------------------------------------------------------------------------


def elsewhere(provider: Provider) -> str:
    """The same provider under another host's name."""
    return provider.url.replace("127.0.0.1", "localhost")


def test_an_old_key_is_not_sent_to_a_new_host_until_a_grown_up_says_so(paid: Houses, provider: Provider) -> None:
    house = paid(llm_key=KEY)
    house.ended(house.asked())
    house.kill()
    house.start(llm_url=elsewhere(provider))
    job_id = house.asked()
    eventually(lambda: house.get("/healthz").json()["paused"] == {"stories": "key_host"}, what="the pause")
    assert len(provider.requests()) == 1 and house.job(job_id)["status"] == "pending"
    assert "belongs to the old one" in house.get("/", headers=HTML).text
    page = house.get("/settings", headers=HTML).text
    assert "The key is not sent to localhost" in page and "used with 127.0.0.1" in page
    assert house.post("/queues/stories/resume").status_code == 303
    eventually(lambda: house.get("/healthz").json()["paused"], what="the next pause")
    assert len(provider.requests()) == 1, "resuming alone is no word about the key"
    assert house.post("/settings/key", data={"host": "elsewhere.example"}).status_code == 303
    assert house.get("/healthz").json()["paused"], "a page about another host says nothing about this one"
    assert house.post("/settings/key", data={"host": "localhost"}).status_code == 303
    assert house.ended(job_id)["status"] == "completed"
    assert "is not sent" not in house.get("/settings", headers=HTML).text


def test_a_new_key_goes_to_a_new_host_and_the_old_one_stays_with_its_own(paid: Houses, provider: Provider) -> None:
    house = paid(llm_key=KEY)
    house.ended(house.asked())
    house.kill()
    house.start(llm_url=elsewhere(provider), llm_key="sk-new")
    assert house.ended(house.asked())["status"] == "completed"
    house.kill()
    house.start(llm_url=elsewhere(provider))  # and the first key again
    house.asked()
    eventually(lambda: house.get("/healthz").json()["paused"] == {"stories": "key_host"}, what="the pause")
    sent = [
        (request["headers"]["host"].split(":")[0], request["headers"]["authorization"])
        for request in provider.requests()
    ]
    assert sent == [("127.0.0.1", f"Bearer {KEY}"), ("localhost", "Bearer sk-new")]


def test_without_a_key_a_host_may_change(paid: Houses, provider: Provider) -> None:
    house = paid(llm_key="")
    house.ended(house.asked())
    house.kill()
    house.start(llm_url=elsewhere(provider))
    assert house.ended(house.asked())["status"] == "completed"
    assert house.rows("SELECT name FROM settings") == []


def test_the_doctor_asks_nobody_with_a_key_that_belongs_to_another(paid: Houses, provider: Provider) -> None:
    house = paid(llm_model="test", llm_key=KEY)
    assert "knows test" in said(flask(house, "doctor"), 0)
    text = said(flask(house, "doctor", llm_url=elsewhere(provider)), 1)
    assert "was used with 127.0.0.1" in text and "so it was not asked" in text and "knows test" not in text
    assert KEY not in text
