"""Money as a grown-up sees it: every call, what nobody knows, the bill by hand, the cap, a file for a spreadsheet."""

import base64
import csv
import datetime
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from provider import Provider
from running import Running, eventually
from workbench import Workbench

from bedtime import accounts, charts, household, ledger
from bedtime.telling import recover_dead
from bedtime.web import accounting

Houses = Callable[..., Running]
Benches = Callable[..., Workbench]

USED = 3232  # of a story, as the provider bills it
NO_MONEY = ["-1", "NaN", "1e99", "", "five", "1000001", "0.0000001", "٣", "1,000.00", "+1", "0x10", "∞", "5.00 USD"]


def choose(house: Workbench, name: str, value: str) -> None:
    accounts.choose(house.database, {name: value}, now=house.now)


def told_as(text: str) -> str:
    """The mode in which the provider tells exactly this."""
    return f"text:{base64.urlsafe_b64encode(text.encode()).decode()}"


# --- every call -----------------------------------------------------------------------------------


def test_every_call_stands_there_with_its_cost_and_what_became_of_it(paid: Houses, provider: Provider) -> None:
    provider.queue("ok", "refusal", "cut_stream", "status:400")
    house = paid()
    for _ in range(4):
        house.ended(house.asked())
    page = house.get("/money", headers={"Accept": "text/html"}).text
    assert page.count("storyteller-1") == 4
    assert page.count("612 tokens in, 655 out") == 2
    for words in ("A story came.", "The storyteller declined.", "may have been billed", "would not take this wish"):
        assert page.count(words) == 1, words
    assert page.count("$0.003232") == 2 and "$0.00</b>" in page
    [unknown] = house.rows("SELECT id, reserved_micros FROM calls WHERE status = 'unknown'")
    assert f"up to ${unknown['reserved_micros'] / 1e6}" in page


def test_the_raw_answer_is_shown_as_text_and_holds_no_name(paid: Houses, provider: Provider) -> None:
    provider.queue(told_as("A <script>alert(1)</script> lamp\n\nMia & the <b hx-post='/'>lamp</b> went home. " * 9))
    house = paid()
    house.ended(house.asked(idea="Mia and a lamp"))
    page = house.get("/money/calls/1").text
    raw = page.split("<pre")[1].split("</pre>")[0]
    assert "&lt;script&gt;alert(1)" in raw and "<script>alert" not in page and "<b hx-post" not in page
    kept = house.rows("SELECT raw FROM calls")[0]["raw"].decode()
    assert "data: " in raw and kept.count("data: ") == raw.count("data: ")


def test_a_name_never_was_in_a_raw_answer(paid: Houses) -> None:
    house = paid()
    job = house.ended(
        house.asked(idea="Mia finds a lamp", children=[{"nickname": "Mia", "band": "4-5", "pronouns": "she"}])
    )
    story = house.get(job["story_url"], headers={"Accept": "application/json"}).json()
    assert "Mia" in " ".join(story["paragraphs"])
    raw = house.get("/money/calls/1").text.split("<pre")[1].split("</pre>")[0]
    assert "lamp" in raw and "Mia" not in raw


def test_an_unknown_call_shows_what_arrived_and_asks_again_only_by_who_knows(paid: Houses, provider: Provider) -> None:
    provider.queue("cut_stream")
    house = paid()
    job_id = house.asked()
    house.ended(job_id)
    page = house.get("/money/calls/1").text
    assert 'class="saved"' in page and "Mia found the lamp" in page and "cost a second time" in page
    again = re.search(r'action="(/stories/jobs/\d+/again)"', page)
    assert again and house.post(again[1]).status_code == 422
    assert house.post(again[1], data={"understood": "yes"}).status_code == 303
    assert len(house.rows("SELECT id FROM jobs WHERE retry_of = ?", job_id)) == 1
    assert "It was asked again" in house.get("/money/calls/1").text


def test_the_list_goes_on_by_calls_and_shows_each_once(workbench: Benches) -> None:
    house = workbench()
    for _ in range(5):
        house.told()
    with house.database.reading() as db:
        first = ledger.calls_before(db, period="2027-01", before=None, most=3)
        rest = ledger.calls_before(db, period="2027-01", before=first[-1].id, most=3)
        assert ledger.calls_before(db, period="2026-12", before=None, most=3) == []
    assert [line.id for line in [*first, *rest]] == [5, 4, 3, 2, 1]


def test_a_call_that_never_was_is_not_there_and_a_month_that_is_none_shows_this_one(household: Houses) -> None:
    house = household()
    for call_id in (0, 7, 2**63, 10**40):
        answer = house.get(f"/money/calls/{call_id}")
        assert answer.status_code == 404 and answer.json()["type"] == "urn:bedtime:no-call"
    for query in ("month=0000-01", "month=2026-13", "month=x", "before=x", f"before={10**30}", "before=-1"):
        assert house.get(f"/money?{query}").status_code == 200, query


# --- the provider's bill --------------------------------------------------------------------------


@pytest.mark.parametrize(("bill", "micros"), [("0", 0), ("0.0123", 12_300), ("0,02", 20_000), (" 7 ", 7_000_000)])
def test_a_grown_up_settles_an_unknown_call_and_its_reservation_is_free(
    paid: Houses, provider: Provider, bill: str, micros: int
) -> None:
    provider.queue("cut_stream")
    house = paid()
    house.ended(house.asked())
    assert house.post("/money/calls/1/settle", data={"spent": bill}).headers["Location"] == "/money/calls/1"
    [call] = house.rows("SELECT status, outcome, spent_micros FROM calls")
    assert call == {"status": "settled", "outcome": "by_hand", "spent_micros": micros}
    assert "Settled by hand" in house.get("/money/calls/1").text
    assert "outcome=by_hand" in house.log.read_text()
    assert house.post("/money/calls/1/settle", data={"spent": "0.01"}).status_code == 303, "it can be corrected"
    assert house.rows("SELECT spent_micros FROM calls") == [{"spent_micros": 10_000}]


def test_what_is_no_amount_settles_nothing_and_limits_nothing(paid: Houses, provider: Provider) -> None:
    provider.queue("cut_stream")
    house = paid()
    house.ended(house.asked())
    for typed in NO_MONEY:
        for path, field in (("/money/calls/1/settle", "spent"), ("/money/cap", "cap")):
            answer = house.post(path, data={field: typed}, headers={"Accept": "text/html"})
            assert answer.status_code == 422 and "An amount such as 5.00" in answer.text, (path, typed)
            assert f'value="{typed}"' in answer.text.replace("&#43;", "+"), typed
    assert house.rows("SELECT status FROM calls") == [{"status": "unknown"}]
    assert house.rows("SELECT name FROM settings WHERE name = 'monthly_cap_micros'") == []


def test_what_is_known_is_not_settled_by_hand(paid: Houses) -> None:
    house = paid()
    house.ended(house.asked())
    for call_id in (1, 2, 2**63):
        assert house.post(f"/money/calls/{call_id}/settle", data={"spent": "0"}).status_code == 409
    assert house.rows("SELECT outcome, spent_micros FROM calls") == [{"outcome": "told", "spent_micros": USED}]


@pytest.mark.parametrize(("step", "left"), [("before", "unknown"), ("after", "settled")])
def test_a_crash_while_settling_leaves_it_settled_or_not(
    paid: Houses, provider: Provider, step: str, left: str
) -> None:
    provider.queue("cut_stream")
    house = paid()
    house.ended(house.asked())
    house.kill()
    house.start(crash_at=f"settle.{step}_commit")
    with pytest.raises(OSError):
        house.post("/money/calls/1/settle", data={"spent": "0"})
    house.wait()
    house.start()
    assert house.rows("SELECT status FROM calls") == [{"status": left}]
    assert house.post("/money/calls/1/settle", data={"spent": "0"}).status_code == 303
    assert house.rows("SELECT spent_micros FROM calls") == [{"spent_micros": 0}]


def test_an_answer_that_comes_after_all_is_kept_and_the_amount_by_hand_stands(workbench: Benches) -> None:
    house = workbench()

    def settle() -> None:
        house.lose_the_claim()
        assert house.call(1).status == "unknown"
        assert accounts.settle_by_bill(house.database, 1, spent_micros=70, now=house.now)

    house.at["call.first_byte"] = settle
    job = house.told()
    call = house.call(job.id)
    assert (job.status, call.status, call.outcome, call.spent_micros) == ("completed", "settled", "by_hand_told", 70)
    assert call.raw and house.text(job.id)
    assert not accounts.settle_by_bill(house.database, 1, spent_micros=1, now=house.now), "now it is known"


def test_a_late_answer_to_a_call_settled_by_hand_is_finished_after_a_crash_too(workbench: Benches) -> None:
    house = workbench()

    def settle() -> None:
        house.lose_the_claim()
        accounts.settle_by_bill(house.database, 1, spent_micros=70, now=house.now)

    def crash() -> None:
        raise KeyboardInterrupt

    house.at |= {"call.first_byte": settle, "receive.after_commit": crash}
    job_id = house.ask()
    with pytest.raises(KeyboardInterrupt):
        house.tell()
    assert house.job(job_id).error_code == "maybe_billed" and house.call(job_id).raw
    recover_dead(house.parts)
    assert (house.job(job_id).status, house.call(job_id).spent_micros) == ("completed", 70)
    assert house.text(job_id) and house.parts.spool.kept() == []
    heard = len(house.heard)
    recover_dead(house.parts)
    assert house.heard[heard:] == [], "and then it is done"


def test_an_amount_by_hand_says_nothing_about_what_a_story_usually_costs(
    workbench: Benches, provider: Provider
) -> None:
    house = workbench()
    house.told()
    provider.queue("cut_stream")
    call = house.call(house.told().id)
    accounts.settle_by_bill(house.database, call.id, spent_micros=0, now=house.now)
    with house.database.reading() as db:
        assert ledger.usual_cost(db, model=call.model, host=call.host) == USED


# --- the cap --------------------------------------------------------------------------------------


def test_a_new_cap_holds_for_the_very_next_call(paid: Houses, provider: Provider) -> None:
    house = paid()
    house.ended(house.asked())
    assert house.post("/money/cap", data={"cap": "0,004"}).status_code == 303
    assert "of less than $0.01" in house.get("/money").text
    assert house.ended(house.asked())["error_code"] == "over_budget"
    assert house.post("/money/cap", data={"cap": "2"}).status_code == 303
    assert house.ended(house.asked())["status"] == "completed"
    assert len(provider.requests()) == 2


def test_a_cap_that_another_process_was_told_holds_in_the_worker(paid: Houses, provider: Provider) -> None:
    house = paid()
    eventually(lambda: house.get("/healthz").json()["worker"] == "here")
    other = paid()  # a second process on the same folder
    assert other.get("/healthz").json()["worker"] != "here"
    assert other.post("/money/cap", data={"cap": "0"}).status_code == 303
    assert house.ended(house.asked())["error_code"] == "over_budget"
    assert provider.requests() == []


def test_the_cap_that_holds_is_the_one_at_the_moment_of_the_mark(workbench: Benches, provider: Provider) -> None:
    house = workbench()
    house.at["spool.reserved"] = lambda: choose(house, household.MONTHLY_CAP, "14000")
    assert house.told().error_code == "over_budget" and provider.requests() == []
    choose(house, household.MONTHLY_CAP, "5000000")
    assert house.told().status == "completed"


# --- months and days ------------------------------------------------------------------------------


def test_the_month_of_a_call_is_the_households_and_is_decided_once(workbench: Benches) -> None:
    house = workbench()
    house.now = datetime.datetime(2027, 1, 31, 12, 0, tzinfo=datetime.UTC).timestamp()
    choose(house, household.ZONE, "Pacific/Auckland")
    far = house.call(house.told().id)
    choose(house, household.ZONE, "America/New_York")
    near = house.call(house.told().id)
    assert (far.period, near.period) == ("2027-02", "2027-01")
    with house.database.reading() as db:
        days = ledger.by_day(ledger.spent_in(db, "2027-02"), "2027-02", "America/New_York")
    assert [(day.date.day, day.calls) for day in days if day.calls] == [(1, 1)], "at the edge, and not lost"


def test_a_zone_that_this_machine_lost_is_no_reason_to_tell_nothing(workbench: Benches) -> None:
    house = workbench()
    choose(house, household.ZONE, "Mars/Olympus")
    assert house.call(house.told().id).period == "2027-01"


def test_the_picture_and_its_numbers_say_what_the_ledger_says(paid: Houses, provider: Provider) -> None:
    provider.queue("ok", "ok", "cut_stream")
    house = paid()
    for _ in range(3):
        house.ended(house.asked())
    page = house.get("/money").text
    [unknown] = house.rows("SELECT reserved_micros FROM calls WHERE status = 'unknown'")
    assert page.count("<rect ") == 2 and page.count('<rect class="unknown"') == 1
    cells = re.findall(r"<td>([^<]*)</td>", page)
    assert cells == ["3", f"${2 * USED / 1e6}", f"${unknown['reserved_micros'] / 1e6}"]


@pytest.mark.parametrize(
    ("amount", "top"), [(0, 1), (1, 1), (3, 5), (11, 20), (499_999, 500_000), (500_001, 1_000_000)]
)
def test_the_line_above_the_bars_is_a_round_number(amount: int, top: int) -> None:
    assert charts.round_up(amount) == top


def test_no_bar_leaves_the_picture() -> None:
    days = [(0, 0), (1, 0), (0, 1), (70, 29), (100, 100)]
    chart = charts.month(days)
    for bar, (known, unknown) in zip(chart.bars, days, strict=True):
        assert 0 <= bar.doubt_y <= bar.y <= chart.height and 0 <= bar.x <= chart.width - chart.bar_width
        assert bar.height / chart.height == pytest.approx(known / chart.top, abs=1e-3)
        assert bar.doubt_height / chart.height == pytest.approx(unknown / chart.top, abs=1e-3)


# --- a file for a spreadsheet ---------------------------------------------------------------------


@pytest.mark.parametrize("model", ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "plain", 'with "quotes", and commas'])
def test_no_cell_is_taken_for_a_formula(workbench: Benches, model: str) -> None:
    house = workbench(model=model)
    house.told()
    with house.database.reading() as db:
        text = accounting.as_csv(db, period=None, zone="UTC", currency="USD")
    [row] = csv.DictReader(io.StringIO(text))
    assert row["model"] == (model if model[0] in "pw" else f"'{model}")
    assert (row["spent"], row["currency"], row["month"], row["outcome"]) == ("0.003232", "USD", "2027-01", "told")


def test_the_file_has_every_call_of_every_month_under_a_name_of_ours(paid: Houses, tmp_path: Path) -> None:
    house = paid()
    for _ in range(2):
        house.ended(house.asked(idea='=HYPERLINK("evil")'))
    answer = house.get("/money/calls.csv")
    month = datetime.datetime.now(datetime.UTC).strftime("%Y-%m")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="bedtime-calls-all.csv"'
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert [row["call"] for row in csv.DictReader(io.StringIO(answer.text))] == ["2", "1"]
    assert "HYPERLINK" not in answer.text and "Mia" not in answer.text
    answer = house.get(f"/money/calls.csv?month={month}")
    assert f'filename="bedtime-calls-{month}.csv"' in answer.headers["Content-Disposition"]
    answer = house.get("/money/calls.csv?month=2001-01")
    assert answer.text.count("\n") == 1
