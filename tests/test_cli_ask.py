"""`flask ask`: a wish at the command line, a bar by words, the story; or why there is none."""

import json
import os
import pty
import re
import signal
import subprocess
from collections.abc import Callable

from provider import Provider
from running import Running
from terminal import flask, said, starting

MIA = ("--child", "Mia:4-5:she", "--minutes", "3")
STORY = {"story_id", "title", "paragraphs", "language", "minutes", "told_by", "children", "cut_short", "series"}


def test_ask_prints_the_story_and_nothing_else(paid: Callable[..., Running], provider: Provider) -> None:
    house = paid()
    done = flask(house, "ask", *MIA, "--idea", "a lamp")
    assert "Traceback" not in done.stderr
    assert (done.returncode, len(provider.bills())) == (0, 1)
    title, *paragraphs = [line for line in done.stdout.split("\n") if line]
    assert title == "The Lamp Who Came Second"
    assert "Mia" in " ".join(paragraphs) and len(paragraphs) > 10
    assert "It is on the shelf." in done.stderr


def test_ask_prints_json_with_the_fields_of_the_api(paid: Callable[..., Running]) -> None:
    house = paid()
    done = flask(house, "ask", *MIA, "--json")
    told = json.loads(done.stdout)
    story = told.pop("story")
    assert told == house.job(told["job_id"])
    assert (set(story), story) == (STORY, house.get(told["story_url"]).json())


def test_every_field_of_a_wish_has_an_option(household: Callable[..., Running]) -> None:
    house = household()
    first = json.loads(flask(house, "ask", *MIA, "--json").stdout)["story"]["story_id"]
    fields = {"idea": "a mitten", "today": "it rained", "lesson": "sharing", "mood": "funny", "language": "pt-BR"}
    options = [part for name, value in fields.items() for part in (f"--{name}", value)]
    more = ("--minutes", "7", "--continues", str(first), "--child", "Mia", "--child", "Theo:6-7:he")
    asked = json.loads(flask(house, "ask", *options, *more, "--no-wait", "--json").stdout)
    assert set(asked) == {"job_id", "status", "status_url"}
    (row,) = house.rows("SELECT * FROM story_requests WHERE job_id = ?", asked["job_id"])
    assert {name: row[name] for name in fields} == fields
    assert (row["minutes"], row["continues"]) == (7, first)
    assert [child["nickname"] for child in house.rows("SELECT nickname FROM children ORDER BY id")] == ["Mia", "Theo"]


def test_a_wish_for_the_book_costs_nothing(paid: Callable[..., Running], provider: Provider) -> None:
    house = paid()
    told = json.loads(flask(house, "ask", *MIA, "--from-book", "--json").stdout)
    assert (told["story"]["told_by"], provider.requests()) == ("book", [])


def test_the_same_key_asks_once_also_when_both_come_at_once(paid: Callable[..., Running], provider: Provider) -> None:
    house = paid()
    both = [starting(house, "ask", *MIA, "--key", "monday", stdout=subprocess.PIPE) for _ in range(2)]
    stories = [process.communicate(timeout=60)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert stories[0] == stories[1] != ""
    assert len(provider.bills()) == 1
    assert "other fields" in said(flask(house, "ask", *MIA, "--key", "monday", "--idea", "another"), 1)


def test_without_a_key_each_ask_is_a_new_wish(household: Callable[..., Running]) -> None:
    house = household()
    jobs = [said(flask(house, "ask", *MIA, "--no-wait"), 0).split()[0] for _ in range(2)]
    assert jobs[0] != jobs[1]


def test_a_story_that_is_refused_is_told_as_the_family_reads_it(
    paid: Callable[..., Running], provider: Provider
) -> None:
    provider.set_mode("status:400")
    house = paid()
    done = flask(house, "ask", *MIA, "--json")
    assert "would not tell this one" in said(done, 1)
    told = json.loads(done.stdout)
    assert (told["status"], told["error_code"], told["story"]) == ("failed", "refused", None)


def test_a_paused_storyteller_keeps_the_wish_and_says_why(paid: Callable[..., Running], provider: Provider) -> None:
    provider.set_mode("status:401")
    house = paid()
    what = said(flask(house, "ask", *MIA), 1)
    assert "does not accept our key" in what and "flask jobs resume" in what
    assert house.job(1)["status"] == "pending"


def test_without_a_server_the_wish_is_kept_and_told_later(household: Callable[..., Running]) -> None:
    house = household()
    house.kill()
    what = said(flask(house, "ask", *MIA), 1)
    assert "Job 1 is kept" in what and "make run" in what
    house.start()
    assert house.ended(1)["status"] == "completed"


def test_a_command_starts_no_worker_and_asks_no_provider(paid: Callable[..., Running], provider: Provider) -> None:
    house = paid()
    house.kill()
    said(flask(house, "ask", *MIA), 1)
    for command in (("prompt", *MIA), ("jobs", "list"), ("jobs", "show", "1"), ("doctor",)):
        flask(house, *command)
    assert provider.requests() == []
    assert [job["status"] for job in house.rows("SELECT status FROM jobs")] == ["pending"]


def test_who_stops_waiting_does_not_call_the_wish_off(paid: Callable[..., Running], provider: Provider) -> None:
    provider.set_mode("hang")
    house = paid()
    with starting(house, "ask", *MIA, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        provider.wait_for(1)
        process.send_signal(signal.SIGINT)
        assert process.stderr
        assert "the wish stays" in process.stderr.read()
    assert process.returncode == 1
    provider.release()
    assert house.ended(1)["status"] == "completed"


def test_a_person_sees_a_bar_of_words(paid: Callable[..., Running], provider: Provider) -> None:
    provider.set_mode("hang_mid")
    house = paid()
    ours, theirs = pty.openpty()
    with starting(house, "ask", *MIA, stderr=theirs, stdout=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
            if re.search(rb"[1-9][0-9]*/360", shown):
                provider.release()
    os.close(ours)
    assert process.returncode == 0
    words = [int(found) for found in re.findall(rb"(\d+)/360", shown)]
    assert words == sorted(words) and any(0 < count < 360 for count in words), shown[-300:]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end has closed
        return b""
