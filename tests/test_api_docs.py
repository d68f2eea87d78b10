"""docs/api.md: every line in it that a parent may copy is run here, against a house, from top to bottom."""

import datetime
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import jinja2
import pytest
from running import ROOT, Running, eventually

DOCUMENT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
ADDRESS = "http://127.0.0.1:5000"
BETWEEN = "=== the next block ==="


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("docs") / "house") as house:
        yield house


def script(house: Running) -> str:
    """All blocks of shell in one, as they would be typed into one terminal; what each says ends with a line of ours."""
    lines = [block.replace(ADDRESS, house.url) for kind, block in BLOCKS if kind == "sh"]
    return "\n".join(f"{block}\necho; echo '{BETWEEN}'" for block in lines)


def followed_by() -> list[str | None]:
    """For each block of shell the JSON that stands under it as its answer, if there is one."""
    following = [*BLOCKS[1:], ("", "")]
    return [
        after[1] if after[0] == "json" else None
        for block, after in zip(BLOCKS, following, strict=True)
        if block[0] == "sh"
    ]


def test_every_line_of_shell_works_and_answers_as_it_says(house: Running) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script(house)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    said = done.stdout.split(f"\n{BETWEEN}\n")[:-1]
    promised = followed_by()
    assert len(said) == len(promised) >= 9
    for answer, example in zip(said, promised, strict=True):
        if example is not None:
            check_alike(json.loads(example), json.loads(answer))
    assert "It is on the shelf." in done.stdout and "\nok\n" in done.stdout


def check_alike(example: Any, answer: Any) -> None:
    """The same fields; and where the example is an error, the same words."""
    assert set(answer) == set(example)
    if "type" in example:
        assert answer == example


def test_the_line_for_home_assistant_asks_once_a_day(house: Running) -> None:
    command = next(block for kind, block in BLOCKS if kind == "yaml" and "rest_command:" in block)
    asked = [answer_to(house, command, idea='a "shy" dragon') for _ in range(2)]
    assert asked[0] == asked[1]
    (row,) = house.rows("SELECT idea FROM story_requests WHERE job_id = ?", asked[0])
    assert row["idea"] == 'a "shy" dragon'


def answer_to(house: Running, command: str, **data: str) -> int:
    """What Home Assistant does with a rest_command: fill in its templates, and send it."""
    found = {name: value.strip('"') for name, value in re.findall(r"^ +([a-z_-]+): +(.+)$", command, re.MULTILINE)}
    (payload,) = re.findall(r"payload: >-\n +(.+)\n", command)
    fill = templates()
    answer = house.post(
        re.sub(r"https?://[^/]+", "", found["url"]),
        data=fill(payload, data),
        headers={
            "Content-Type": found["content_type"],
            "Authorization": "Bearer of-nobody",
            "Idempotency-Key": fill(found["idempotency-key"], data),
        },
    )
    assert (found["method"], answer.status_code) == ("post", 202), answer.text
    return int(answer.json()["job_id"])


def templates() -> Callable[[str, dict[str, str]], str]:
    """Jinja with the two things of Home Assistant that the document uses."""
    environment = jinja2.Environment(autoescape=False)
    environment.filters["to_json"] = json.dumps
    environment.globals["now"] = lambda: datetime.datetime(2026, 11, 30, 18, 0)
    return lambda text, data: environment.from_string(text).render(**data)


def test_the_document_names_every_field_of_the_api(house: Running) -> None:
    job_id = house.asked(children=[{"nickname": "Theo", "band": "6-7", "pronouns": "he"}])
    job = house.ended(job_id)
    story = eventually(lambda: house.get(job["story_url"]).json())
    names = {*job, *story, "children", "idea", "today", "mood", "lesson", "continues", "from_book", "errors"}
    assert [name for name in sorted(names) if not re.search(rf'[`".]{name}\b', DOCUMENT)] == []
