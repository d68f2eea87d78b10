"""What a script reads: the fields of a job, a story and the shelf, by `Accept`; and how an error looks."""

from collections.abc import Callable, Iterator

import pytest
from provider import Provider
from raw import check_problem, names, send, varies
from running import Running, eventually
from terminal import flask, said

JOB = {
    *("job_id", "status", "place", "words", "expected_words", "draft", "error_code", "message", "story_url"),
    *("cost_micros", "created_at", "completed_at"),
}
STORY = {"story_id", "title", "paragraphs", "language", "minutes", "told_by", "children", "cut_short", "series"}
HTML, JSON = "text/html", "application/json"

ACCEPT: list[tuple[str | None, str]] = [
    (None, JSON),
    ("*/*", JSON),
    ("", JSON),
    (JSON, JSON),
    (HTML, HTML),
    ("text/html, application/json", JSON),
    ("text/html;q=0.9, application/json", JSON),
    ("text/html, application/json;q=0.9", HTML),
    ("text/html;q=0.5, */*;q=0.8", JSON),
    ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", HTML),
    ("text/html, application/xhtml+xml, */*", HTML),
    ("application/json, text/plain, */*", JSON),
    ("text/*", HTML),
    ("application/*", JSON),
    ("application/json;q=0, */*", HTML),
    ("application/problem+json", JSON),
    ("image/png", JSON),
    ("nonsense;;;q=x", JSON),
]


@pytest.fixture(scope="module")
def shelved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A house with one story from the book, as job 1 and story 1."""
    with Running(tmp_path_factory.mktemp("answers") / "house") as house:
        house.ended(house.asked(idea="a lost mitten"))
        yield house


@pytest.mark.parametrize("path", ["/stories/jobs/1", "/stories/1", "/stories", "/stories/999", "/nowhere"])
@pytest.mark.parametrize(("accept", "kind"), ACCEPT, ids=names(ACCEPT))
def test_the_same_address_is_a_page_or_json_by_what_is_accepted(
    shelved: Running, path: str, accept: str | None, kind: str
) -> None:
    answer = shelved.get(path, headers={"Accept": accept})
    wanted = "application/problem+json" if kind == JSON and answer.status_code == 404 else kind
    assert answer.headers["Content-Type"].split(";")[0] == wanted
    assert varies(answer.headers["Vary"])


@pytest.mark.parametrize(("accept", "kind"), ACCEPT, ids=names(ACCEPT))
def test_asking_is_answered_by_what_is_accepted_too(shelved: Running, accept: str | None, kind: str) -> None:
    wish = {"idempotency_key": f"accept-{accept}", "nickname": "Mia", "band": "4-5", "pronouns": "she"}
    wish["idempotency_key"] = wish["idempotency_key"].replace(" ", "")
    answer = shelved.post("/stories/generate", data=wish, headers={"Accept": accept})
    assert answer.status_code == (202 if kind == JSON else 303), answer.text
    assert answer.headers["Location"].startswith("/stories/jobs/")
    assert varies(answer.headers["Vary"])


def test_htmx_gets_a_fragment_whatever_it_accepts(shelved: Running) -> None:
    answer = shelved.get("/stories/jobs/1", headers={"HX-Request": "true", "Accept": "*/*"})
    assert answer.headers["Content-Type"].startswith(HTML)
    assert "<html" not in answer.text


def test_a_job_a_story_and_the_shelf_have_exactly_their_fields(shelved: Running) -> None:
    job, story, shelf = (shelved.get(path).json() for path in ("/stories/jobs/1", "/stories/1", "/stories"))
    assert (set(job), set(story), set(shelf)) == (JOB, STORY, {"stories", "next"})
    assert (job["job_id"], job["status"], job["story_url"], job["error_code"]) == (1, "completed", "/stories/1", None)
    assert job["message"] == "It is on the shelf."
    assert job["created_at"] <= job["completed_at"]
    assert (story["story_id"], story["told_by"], story["children"], story["series"]) == (1, "book", ["Mia"], None)
    assert story["title"] and all(isinstance(text, str) and "{child" not in text for text in story["paragraphs"])
    card = shelf["stories"][-1]
    assert {name: card[name] for name in ("story_id", "title", "minutes", "told_by", "children")} == {
        name: story[name] for name in ("story_id", "title", "minutes", "told_by", "children")
    }


def test_the_shelf_leads_on_until_all_stories_were_seen(household: Callable[..., Running]) -> None:
    house = household(queue_max=100)
    jobs = [house.asked() for _ in range(30)]
    for job_id in jobs:
        house.ended(job_id)
    first = house.get("/stories").json()
    second = house.get(first["next"]).json()
    seen = [card["story_id"] for page in (first, second) for card in page["stories"]]
    assert (len(seen), len(set(seen)), second["next"]) == (30, 30, None)
    assert seen == sorted(seen, reverse=True)


def test_the_draft_has_the_names_of_the_house_in_it(paid: Callable[..., Running], provider: Provider) -> None:
    provider.set_mode("ok@0.03")
    house = paid()
    job = house.until(house.asked(), lambda job: "Mia" in job["draft"])
    assert job["status"] == "running"
    assert (job["place"], job["message"].startswith("It is being told")) == (0, True)
    assert job["words"] > 0 and job["expected_words"] == 3 * 120
    assert "Mia" not in provider.requests()[0]["body"]


def test_a_story_of_the_provider_says_what_it_cost(paid: Callable[..., Running]) -> None:
    house = paid()
    job = house.ended(house.asked())
    assert job["cost_micros"] == 612 * 1 + 655 * 4
    assert house.get(job["story_url"]).json()["told_by"] == "storyteller-1"


MESSAGES: list[tuple[str, str | None, str]] = [
    ("status:400", "refused", "other words"),
    ("refusal", "refused", "other words"),
    ("null_content", "unreadable", "no story in it"),
    ("reset_in", "maybe_billed", "may have been billed"),
    ("status:401", None, "does not accept our key"),
    ("status:404", None, "does not know the model"),
    ("429:quota", None, "allowance"),
    ("429:60", None, "asks us to wait"),
]


@pytest.mark.parametrize(("mode", "code", "words"), MESSAGES, ids=names(MESSAGES))
def test_the_message_says_what_the_family_reads(
    paid: Callable[..., Running], provider: Provider, mode: str, code: str | None, words: str
) -> None:
    provider.set_mode(mode)
    house = paid()
    job = house.until(house.asked(), lambda job: words in job["message"])
    assert (job["status"], job["error_code"]) == ("failed" if code else "pending", code)


def test_the_message_says_that_the_storyteller_cannot_be_reached(paid: Callable[..., Running]) -> None:
    house = paid(llm_url="http://127.0.0.1:9/v1")
    job = house.until(house.asked(), lambda job: "can't be reached" in job["message"])
    assert job["status"] in ("pending", "running")


def test_the_message_says_the_place_and_that_a_grown_up_has_paused(paid: Callable[..., Running]) -> None:
    house = paid()
    said(flask(house, "jobs", "pause"), 0)
    first, second = house.asked(), house.asked()
    assert (house.job(first)["place"], house.job(second)["place"]) == (1, 2)
    assert "grown-up has paused" in house.job(second)["message"]
    said(flask(house, "jobs", "resume"), 0)
    assert house.ended(second)["message"] == "It is on the shelf."


NOT_THERE = [
    "/stories/jobs/999",
    f"/stories/jobs/{2**63}",
    f"/stories/jobs/{10**40}",
    "/stories/999",
    f"/stories/{10**40}",
]


@pytest.mark.parametrize("path", NOT_THERE)
def test_what_is_not_there_is_404(shelved: Running, path: str) -> None:
    answer = shelved.get(path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")
    assert set(answer.json()) == {"type", "title", "status", "detail"}


@pytest.mark.parametrize("act", ["cancel", "again", "tale"])
@pytest.mark.parametrize("job_id", [999, 2**63, 10**40])
def test_nothing_can_be_done_with_a_job_that_is_not_there(shelved: Running, act: str, job_id: int) -> None:
    check_problem(send(shelved, body=b"{}", path=f"/stories/jobs/{job_id}/{act}"), 404, "no-job")


def test_what_has_ended_well_is_neither_called_off_nor_asked_again(shelved: Running) -> None:
    check_problem(send(shelved, body=b"{}", path="/stories/jobs/1/cancel"), 409, "not-cancelled")
    check_problem(send(shelved, body=b"{}", path="/stories/jobs/1/again"), 409, "not-ended")


def test_what_may_have_been_billed_is_asked_again_only_by_who_says_so(
    paid: Callable[..., Running], provider: Provider
) -> None:
    provider.queue("reset_in")
    house = paid()
    job_id = house.ended(house.asked())["job_id"]
    check_problem(send(house, body=b"{}", path=f"/stories/jobs/{job_id}/again"), 422, "may-cost-twice")
    again = house.post(f"/stories/jobs/{job_id}/again", data={"understood": "yes"})
    assert again.status_code == 303
    eventually(lambda: house.get(again.headers["Location"]).json()["status"] == "completed")
    assert len(provider.bills()) == 2


def test_the_wrong_method_is_told_the_right_one(shelved: Running) -> None:
    answer = shelved.get("/stories/generate")
    assert (answer.status_code, answer.json()["status"]) == (405, 405)
    assert "POST" in answer.headers["Allow"]
