"""Planned evenings: one story for each plan and date, whatever the clocks do and whatever became of the last one."""

import datetime
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from gatehouse import Gatehouse
from home import DAY, HOUR, Home
from provider import Provider
from running import Running, eventually

from bedtime import family, library
from bedtime.model import Child
from bedtime.web.access import Role
from bedtime.web.house import zone_of_the_machine

BERLIN, SYDNEY = "Europe/Berlin", "Australia/Sydney"


def moment(wall: str, zone: str = BERLIN) -> float:
    return datetime.datetime.fromisoformat(wall).replace(tzinfo=ZoneInfo(zone)).timestamp()


def on_the_wall(at: float, zone: str = BERLIN) -> str:
    return datetime.datetime.fromtimestamp(at, ZoneInfo(zone)).isoformat(timespec="minutes")[:16]


def live(home: Home, until: float, *, step: float = 600.0) -> None:
    """Time goes by, ten minutes at a time, and the planner and the book do their work."""
    while home.now < until:
        home.now += step
        home.plan_step()
        home.tell_tales()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.mark.parametrize(
    ("zone", "first", "change"),
    [
        (BERLIN, "2027-03-26T12:00", "2027-03-28"),
        (BERLIN, "2027-10-29T12:00", "2027-10-31"),
        (SYDNEY, "2027-04-02T12:00", "2027-04-04"),
        (SYDNEY, "2027-10-01T12:00", "2027-10-03"),
    ],
)
@pytest.mark.parametrize("at", ["17:30", "02:30", "00:00", "23:59"])
def test_each_date_has_one_story_over_the_change_of_the_clocks(
    tmp_path: Path, zone: str, first: str, change: str, at: str
) -> None:
    home = Home(tmp_path)
    home.now = moment(first, zone)
    home.plan(home.child("Mia"), at=at, zone=zone)
    live(home, home.now + 5 * DAY, step=1200)
    planned = home.planned()
    dates = [date for date, _ in planned]
    assert change in dates
    assert dates == sorted(set(dates))
    assert len(dates) in (5, 6)  # the last one may be planned within its hour already
    assert {job.status for _, job in planned} == {"completed"}


def test_a_time_that_the_clocks_skip_comes_at_the_first_moment_after(home: Home) -> None:
    home.now = moment("2027-03-28T01:00")
    home.plan(home.child("Mia"), at="02:30", zone=BERLIN)
    live(home, home.now + 3 * HOUR)
    (planned,) = home.planned()
    expires = planned[1].expires_at
    assert expires is not None
    assert on_the_wall(expires - 12 * HOUR) == "2027-03-28T03:00"


def test_a_time_that_comes_twice_counts_once(home: Home) -> None:
    home.now = moment("2027-10-31T00:30")
    home.plan(home.child("Mia"), at="02:30", zone=BERLIN)
    live(home, home.now + 6 * HOUR)
    assert [date for date, _ in home.planned()] == ["2027-10-31"]


def test_it_is_told_in_the_hour_before(home: Home) -> None:
    home.now = moment("2027-01-11T16:00")
    home.plan(home.child("Mia"), at="17:30", zone=BERLIN)
    live(home, moment("2027-01-11T16:20"))
    assert home.planned() == []
    live(home, moment("2027-01-11T16:30"))
    assert [job.status for _, job in home.planned()] == ["completed"]


def test_only_the_chosen_days_have_a_story(home: Home) -> None:
    home.now = moment("2027-01-11T08:00")  # a Monday
    home.plan(home.child("Mia"), at="17:30", zone=BERLIN, days="25")
    live(home, home.now + 7 * DAY, step=1800)
    assert [date for date, _ in home.planned()] == ["2027-01-13", "2027-01-16"]


def test_a_house_that_was_off_catches_up_on_one_evening_at_most(home: Home) -> None:
    home.now = moment("2027-01-11T08:00")
    home.plan(home.child("Mia"), at="17:30", zone=BERLIN)
    home.now = moment("2027-01-15T03:00")
    home.plan_step()
    assert [date for date, _ in home.planned()] == ["2027-01-14"]


def test_what_is_more_than_twelve_hours_late_is_not_told_any_more(home: Home) -> None:
    home.now = moment("2027-01-11T08:00")
    home.plan(home.child("Mia"), at="17:30", zone=BERLIN)
    home.now = moment("2027-01-12T06:00")
    home.plan_step()
    assert home.planned() == []


@pytest.mark.parametrize("what", ["made", "paused and resumed"])
def test_a_plan_of_a_clock_that_was_ahead_has_its_story_once_the_clock_is_right(home: Home, what: str) -> None:
    right = moment("2027-01-11T12:00")
    home.now = right + (2 * 365 * DAY if what == "made" else 0)
    plan = home.plan(home.child("Mia"), at="17:30", zone=BERLIN)
    home.now = right + 2 * 365 * DAY
    for paused in [] if what == "made" else [True, False]:
        with home.database.transaction("pause") as tx:
            library.pause_schedule(tx, plan, paused=paused, now=home.now)
    home.now = right
    live(home, right + 2 * DAY)
    assert [date for date, _ in home.planned()] == ["2027-01-11", "2027-01-12"]


def test_an_evening_that_was_planned_by_a_clock_ahead_hides_no_later_one(home: Home) -> None:
    home.now = moment("2027-01-11T12:00")
    plan = home.plan(home.child("Mia"), at="17:30", zone=BERLIN)
    home.now = moment("2029-01-11T17:00")
    home.plan_step()
    home.now = moment("2027-01-12T17:00")
    home.plan_step()
    with home.database.reading() as db:
        last = library.last_planned(db, plan)
    assert last is not None
    assert last[0] == "2027-01-12"


def test_two_plans_have_a_story_each_and_the_planner_may_look_as_often_as_it_likes(home: Home) -> None:
    home.now = moment("2027-01-11T17:00")
    mia = home.child("Mia")
    for _ in range(2):
        home.plan(mia, at="17:30", zone=BERLIN)
    for _ in range(20):
        home.plan_step()
    assert [date for date, _ in home.planned()] == ["2027-01-11"] * 2


@pytest.mark.parametrize("back", [0.0, 1.0, 60.0])
def test_a_restored_plan_waits_also_if_the_clock_is_set_right_a_moment_later(home: Home, back: float) -> None:
    """Its evening may have had its story already: a restore lets no plan begin before the next hour is over."""
    home.now = moment("2027-01-05T17:00")
    home.plan(home.child("Mia"), at="17:30", zone=BERLIN)
    with home.database.transaction("test") as tx:
        library.not_before(tx, since=home.now + HOUR)
    home.now -= back
    home.plan_step()
    assert home.planned() == []


def test_a_plan_that_cannot_be_read_keeps_no_other_from_its_evening(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """An upgrade of the machine may take a zone away; the page of the evenings is for that plan."""
    home.now = moment("2027-01-05T12:00")
    mia = home.child("Mia")
    lost = home.plan(mia, at="17:30", zone=BERLIN)
    home.plan(mia, at="18:00", zone=BERLIN)
    with home.database.transaction("test") as tx:
        tx.execute("UPDATE schedules SET zone = 'Europe/Atlantis' WHERE id = ?", (lost,))
    live(home, moment("2027-01-05T18:00"))
    assert [job.status for _, job in home.planned()] == ["completed"]
    assert f"schedule={lost} planned=failed" in caplog.text


def test_the_next_evening_does_not_hang_on_what_became_of_the_last(home: Home) -> None:
    home.now = moment("2027-01-11T17:00")
    home.plan(home.child("Mia"), at="17:30", zone=BERLIN)
    home.plan_step()
    home.cancel(home.planned()[0][1].id)
    home.plan_step()
    assert [job.status for _, job in home.planned()] == ["cancelled"]
    live(home, home.now + DAY)
    assert [job.status for _, job in home.planned()] == ["cancelled", "completed"]


def test_themes_and_the_lead_go_round(home: Home) -> None:
    home.now = moment("2027-01-11T08:00")
    home.plan(home.child("Mia"), home.child("Theo"), at="17:30", zone=BERLIN, themes=("the sea", "a train", "snow"))
    live(home, home.now + 4 * DAY, step=1800)
    wishes = [home.request_of(job) for _, job in home.planned()]
    assert [wish.idea for wish in wishes] == ["the sea", "a train", "snow", "the sea"]
    assert [wish.children[0].child_id for wish in wishes] == [1, 2, 1, 2]


def test_a_plan_that_rests_makes_nothing_and_catches_up_on_nothing(home: Home) -> None:
    home.now = moment("2027-01-11T08:00")
    plan = home.plan(home.child("Mia"), at="17:30", zone=BERLIN)
    with home.database.transaction("pause") as tx:
        library.pause_schedule(tx, plan, paused=True, now=home.now)
    live(home, moment("2027-01-11T20:00"))
    with home.database.transaction("pause") as tx:
        library.pause_schedule(tx, plan, paused=False, now=home.now)
    home.plan_step()
    assert home.planned() == []
    live(home, home.now + DAY)
    assert [date for date, _ in home.planned()] == ["2027-01-12"]


@pytest.mark.parametrize("what", ["pause", "delete"])
def test_a_plan_that_is_called_off_while_plans_are_made_makes_nothing(home: Home, what: str) -> None:
    home.now = moment("2027-01-11T17:00")
    mia = home.child("Mia")
    home.plan(mia, at="17:30", zone=BERLIN)
    other = home.plan(mia, at="17:31", zone=BERLIN)
    home.plan(mia, at="17:32", zone=BERLIN)

    def call_off() -> None:
        with home.database.transaction("call_off") as tx:
            if what == "pause":
                library.pause_schedule(tx, other, paused=True, now=home.now)
            else:
                library.delete_schedule(tx, other)

    home.at["plan.after_commit"] = call_off
    home.plan_step()
    assert len(home.planned()) == 2


def test_a_plan_of_deleted_children_makes_nothing(home: Home) -> None:
    home.now = moment("2027-01-11T17:00")
    mia = home.child("Mia")
    home.plan(mia, at="17:30", zone=BERLIN)
    with home.database.transaction("delete") as tx:
        library.delete_child(tx, mia.id)
    home.plan_step()
    assert home.planned() == []


def test_whoever_waits_comes_before_what_was_planned(tmp_path: Path, provider: Provider) -> None:
    home = Home(tmp_path, provider)
    home.now = moment("2027-01-11T17:00")
    mia = home.child("Mia")
    home.plan(mia, at="17:30", zone=BERLIN)
    home.plan_step()
    asked = home.ask(wish=home.wish(mia))
    home.tell()
    assert home.job(asked).status == "completed"
    assert home.planned()[0][1].status == "pending"


def test_a_planned_evening_over_the_cap_sends_nothing_and_the_next_month_goes_on(
    tmp_path: Path, provider: Provider
) -> None:
    home = Home(tmp_path, provider, cap_micros=10)
    home.now = moment("2027-01-31T17:00")
    home.plan(home.child("Mia"), at="17:30", zone=BERLIN)
    home.plan_step()
    home.tell()
    job = home.planned()[0][1]
    assert (job.status, job.error_code) == ("failed", "over_budget")
    assert provider.requests() == []
    home.now += DAY
    home.plan_step()
    assert [date for date, _ in home.planned()] == ["2027-01-31", "2027-02-01"]


def test_a_note_is_in_every_prompt_until_it_expires(tmp_path: Path, provider: Provider) -> None:
    home = Home(tmp_path, provider)
    mia = home.child("Mia")
    with home.database.transaction("note") as tx:
        library.add_note(tx, "Mia has the dentist on Thursday", expires_at=home.now + DAY, now=home.now)
    home.told(home.wish(mia))
    home.now += DAY + 1
    home.told(home.wish(mia))
    first, second = (request["json"]["messages"][-1]["content"] for request in provider.requests())
    assert "the dentist on Thursday" in first
    assert "Mia" not in first
    assert "dentist" not in second


def test_the_page_tells_kindly_that_the_money_is_spent(paid: Callable[..., Running]) -> None:
    house = paid(monthly_cap="0.000010")
    page = planned_soon(house)
    assert "this month’s money is spent" in page
    assert "Traceback" not in house.log.read_text()


def test_the_page_says_that_a_story_waits_while_the_storyteller_is_paused(
    paid: Callable[..., Running], provider: Provider
) -> None:
    provider.set_mode("status:401")
    page = planned_soon(paid())
    assert "because the storyteller is paused" in page


def test_the_page_leads_to_the_story_that_was_told(household: Callable[..., Running]) -> None:
    assert 'href="/stories/1"' in planned_soon(household())


def planned_soon(house: Running) -> str:
    """The page of evenings after a plan fell due: the planner looks at once when a house is started."""
    assert house.post("/children", data={"nickname": "Mia", "band": "4-5", "pronouns": "she"}).status_code == 303
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=20)
    plan = {"child": "1", "day": list("0123456"), "at": f"{soon:%H:%M}", "zone": "UTC", "minutes": "3", "mood": "calm"}
    assert house.post("/evenings", data=plan).status_code == 303
    house.kill()
    house.start()
    tried = "SELECT 1 FROM jobs WHERE status <> 'running' AND attempts > 0"
    eventually(lambda: house.rows(tried), what="the telling of the planned story")
    return house.get("/evenings", headers={"Accept": "text/html"}).text


PLAN = {
    "child": "1",
    "day": ["0", "6"],
    "at": "18:15",
    "zone": "Europe/Berlin",
    "minutes": "6",
    "mood": "funny",
    "themes": "the sea\n\n  a   train ",
    "language": "de",
}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"zone": "Europe/Berlim"}, "did you mean Europe/Berlin?"),
        ({"zone": "Mars/Olympus Mons"}, "expected a name such as"),
        ({"zone": "../../etc/passwd"}, "is not a time zone"),
        ({"zone": ""}, "is not a time zone"),
        ({"at": "25:00"}, "A time of the day"),
        ({"at": "soon"}, "A time of the day"),
        ({"day": []}, "At least one"),
        ({"child": []}, "Say who is listening"),
        ({"child": "77"}, "Say who is listening"),
        ({"minutes": "90"}, "from 3 to 15"),
        ({"mood": "wild"}, "Calm, funny, adventure or sleepy"),
        ({"themes": "x\n" * 13}, "Up to 12 themes"),
        ({"themes": "x" * 121}, "Up to 12 themes"),
        ({"language": "klingon!"}, "A language as in web pages"),
    ],
    ids=str,
)
def test_a_plan_that_cannot_be_says_what_to_do_and_keeps_what_was_typed(
    house: Running, wrong: dict[str, object], says: str
) -> None:
    answer = house.post("/evenings", data={**PLAN, **wrong})
    assert answer.status_code == 422
    assert says in answer.text.replace("&#39;", "'")
    for name, value in (("at", "18:15"), ("zone", "Europe/Berlin")):
        assert name in wrong or f'value="{value}"' in answer.text
    assert "themes" in wrong or "the sea\na train</textarea>" in answer.text


def test_a_plan_is_kept_as_it_was_typed(house: Running) -> None:
    assert house.post("/evenings", data={**PLAN, "at": "02:30"}).status_code == 303
    (row,) = house.rows(
        "SELECT days, at, zone, minutes, mood, themes, language FROM schedules ORDER BY id DESC LIMIT 1"
    )
    assert row == {
        "days": "[0, 6]",
        "at": "02:30",
        "zone": "Europe/Berlin",
        "minutes": 6,
        "mood": "funny",
        "themes": "the sea\na train",
        "language": "de",
    }
    page = house.get("/evenings", headers={"Accept": "text/html"}).text
    assert "Mondays and Sundays at 02:30" in page


def test_a_plan_in_a_zone_that_is_lost_says_so_and_can_be_deleted(tmp_path: Path) -> None:
    house = Gatehouse(tmp_path)
    family.add_child(house.database, Child(0, "Mia", "4-5", "she"), now=0.0)
    house.set_up()
    plan = {**PLAN, "child": "1"}
    assert house.calls(Role.GROWN_UP, "/evenings", "POST", data=plan).status_code == 303
    with house.database.transaction("test") as tx:
        tx.execute("UPDATE schedules SET zone = 'Europe/Atlantis'")
    page = house.calls(Role.GROWN_UP, "/evenings")
    assert page.status_code == 200 and "does not know Europe/Atlantis any more" in page.text
    assert house.calls(Role.GROWN_UP, "/evenings/1/delete", "POST").status_code == 303
    assert "Atlantis" not in house.calls(Role.GROWN_UP, "/evenings").text
    house.database.close()


def today_at_home() -> datetime.date:
    """By the clocks of the machine, which a house goes by until somebody chooses others; not by TZ."""
    return datetime.datetime.now(ZoneInfo(zone_of_the_machine())).date()


def test_a_plan_and_a_note_that_are_pressed_twice_are_one(house: Running) -> None:
    plan, note = {**PLAN, "at": "03:45"}, {"text": "a new bed", "until": today_at_home().isoformat()}
    for _ in range(2):
        assert house.post("/evenings", data=plan).status_code == 303
        assert house.post("/notes", data=note).status_code == 303
    (one,) = house.rows("SELECT id FROM schedules WHERE at = '03:45'")
    (kept,) = house.rows("SELECT id FROM notes WHERE text = 'a new bed'")
    house.post(f"/notes/{kept['id']}/delete")
    house.post("/evenings", data={**plan, "mood": "calm"})
    assert len(house.rows("SELECT id FROM schedules WHERE at = '03:45'")) == 2, "another mood is another plan"
    house.post(f"/evenings/{one['id']}/pause", data={"paused": "yes"})
    house.post("/evenings", data=plan)
    assert len(house.rows("SELECT id FROM schedules WHERE at = '03:45'")) == 3, "one that rests brings no story"


@pytest.mark.parametrize(
    ("text", "until", "says"),
    [
        ("", "2100-01-01", "A few words"),
        ("dentist", "Thursday", "Until which day?"),
        ("dentist", "2020-01-01", "from today on"),
        ("dentist", "9999-12-31", "Until"),
    ],
)
def test_a_note_that_cannot_be_says_what_to_do(house: Running, text: str, until: str, says: str) -> None:
    answer = house.post("/notes", data={"text": text, "until": until})
    assert answer.status_code == 422
    assert says in answer.text
    assert f'value="{until}"' in answer.text


def test_a_note_of_today_is_kept_and_can_be_done_with(house: Running) -> None:
    today = today_at_home().isoformat()
    assert house.post("/notes", data={"text": "no <b>hospitals</b>", "until": today}).status_code == 303
    page = house.get("/evenings", headers={"Accept": "text/html"}).text
    assert "no &lt;b&gt;hospitals&lt;/b&gt;" in page
    (note,) = house.rows("SELECT id FROM notes")
    assert house.post(f"/notes/{note['id']}/delete").status_code == 303
    assert house.rows("SELECT id FROM notes") == []


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> object:
    """One for all the forms: each of them says what it changed."""
    with Running(tmp_path_factory.mktemp("evenings") / "house").start() as running:
        running.post("/children", data={"nickname": "Mia", "band": "4-5", "pronouns": "she"})
        yield running
