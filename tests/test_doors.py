"""The doors: a table of endpoints × roles, what a closed door says, and who is let in without a word."""

import re
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from pathlib import Path

import pytest
from gatehouse import HTML, KEYS, OUTSIDE, PASSPHRASE, PIN, Gatehouse

from bedtime.web import access
from bedtime.web.access import Role

ROOT = Path(__file__).parent.parent
JSON = "application/json"
NOBODYS = {  # written twice on purpose: who opens a door to everybody says so here too
    "static", "look.change", "look.moon", "look.offline", "health.healthz", "signing.sign_in", "signing.enter",
    "signing.sign_out", "setup.form", "setup.set_up", "pairing.code", "pairing.pair",
}  # fmt: skip
SCRIPTS_MAY_CHANGE = {"stories.generate"}


@pytest.fixture(scope="module")
def gatehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gatehouse]:
    house = Gatehouse(tmp_path_factory.mktemp("gatehouse"))
    house.set_up()
    house.only_the_gate()
    yield house
    house.database.close()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Gatehouse]:
    house = Gatehouse(tmp_path)
    yield house
    house.database.close()


# --- the table ------------------------------------------------------------------------------------


def test_every_route_is_in_the_table_and_the_table_holds_nothing_else(gatehouse: Gatehouse) -> None:
    endpoints = {endpoint for endpoint, _, _ in gatehouse.routes()}
    assert sorted(endpoint for endpoint in endpoints if access.least(endpoint) is None) == []
    assert sorted(set(access.TABLE) - endpoints) == []


def test_the_table_opens_to_nobody_only_what_is_written_here_too() -> None:
    assert {endpoint for endpoint, role in access.TABLE.items() if role is Role.NOBODY} == NOBODYS


def test_a_script_may_change_nothing_but_ask(gatehouse: Gatehouse) -> None:
    changing = {endpoint for endpoint, method, _ in gatehouse.routes() if method not in ("GET", "HEAD")}
    assert access.SCRIPTS & changing == SCRIPTS_MAY_CHANGE


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("accept", [HTML, JSON])
def test_curious_child(gatehouse: Gatehouse, role: Role, accept: str) -> None:
    """Every route × every role, against the table: who may not enter never gets behind the door."""
    wrong = []
    for endpoint, method, path in gatehouse.routes():
        gatehouse.let_in.clear()
        answer = gatehouse.calls(role, path, method, headers={"Accept": accept})
        entered = gatehouse.let_in == [endpoint] or (endpoint == "static" and answer.status_code == 204)
        if entered is not may_enter(role, endpoint):
            wrong.append(f"{method} {path} for {role.name}: {answer.status}")
    assert wrong == []


def test_a_route_that_is_in_no_list_is_closed_to_everybody(house: Gatehouse) -> None:
    house.app.add_url_rule("/forgotten", "forgotten", lambda: "inside")
    house.set_up()
    answers = [house.calls(role, "/forgotten") for role in Role]
    assert {answer.status_code for answer in answers} == {403}
    assert "inside" not in "".join(answer.text for answer in answers)


def test_a_form_behind_the_pin_is_a_plain_form() -> None:
    """htmx would lose what was typed when the PIN stops it: see require_pin."""
    posts = re.compile(r"hx-(?:post|put|delete)=\"\{\{ url_for\('([^']+)'")
    found = {
        name
        for path in (ROOT / "templates").rglob("*.html")
        for name in posts.findall(path.read_text(encoding="utf-8"))
    }
    assert found
    assert sorted(name for name in found if access.least(name) is Role.WITH_PIN) == []


def may_enter(role: Role, endpoint: str) -> bool:
    """As the table is meant to be read, said once more: a mistake in its reading shows."""
    blueprint = endpoint.split(".")[0]
    needed = access.TABLE.get(endpoint, Role.WITH_PIN if blueprint in access.BEHIND_THE_PIN else None)
    if role is Role.SCRIPT:
        return needed is Role.NOBODY or endpoint in access.SCRIPTS
    return needed is not None and list(Role).index(needed) <= list(Role).index(role)


# --- what a closed door says ----------------------------------------------------------------------


@pytest.mark.parametrize("role", list(Role))
def test_a_program_that_meets_a_closed_door_reads_a_problem(gatehouse: Gatehouse, role: Role) -> None:
    for endpoint, method, path in gatehouse.routes():
        if method == "HEAD" or may_enter(role, endpoint):
            continue
        answer = gatehouse.calls(role, path, method, headers={"Accept": JSON})
        assert answer.status_code == (401 if role is Role.NOBODY else 403), path
        assert answer.mimetype == "application/problem+json", path
        assert (answer.headers.get("WWW-Authenticate") == "Bearer") is (role is Role.NOBODY)


@pytest.mark.parametrize("role", [Role.NOBODY, Role.READER, Role.GROWN_UP])
def test_a_fragment_that_meets_a_closed_door_leads_the_whole_page_elsewhere(gatehouse: Gatehouse, role: Role) -> None:
    page = {"HX-Request": "true", "HX-Current-URL": f"http://{OUTSIDE}/stories?q=bear"}
    asks = "/pin" if role is Role.GROWN_UP else "/sign-in"
    for endpoint, method, path in gatehouse.routes():
        if method == "HEAD" or may_enter(role, endpoint):
            continue
        answer = gatehouse.calls(role, path, method, headers=page)
        assert answer.headers["HX-Redirect"].startswith(f"{asks}?next="), path
        assert answer.data == b"", path


@pytest.mark.parametrize("role", [Role.NOBODY, Role.READER, Role.GROWN_UP])
def test_a_person_who_meets_a_closed_door_is_told_where_to_go(gatehouse: Gatehouse, role: Role) -> None:
    for endpoint, method, path in gatehouse.routes():
        if method == "HEAD" or may_enter(role, endpoint):
            continue
        answer = gatehouse.calls(role, path, method)
        if role is Role.NOBODY:
            assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (303, "/sign-in"), path
        elif role is Role.READER:
            assert answer.status_code == 403 and "This door is for grown-ups" in answer.text, path
        elif method == "GET":
            assert answer.headers["Location"].startswith("/pin?next="), path
        else:
            assert answer.status_code == 403 and 'name="household_pin"' in answer.text, path


def test_what_stands_behind_the_pin_is_stored_nowhere(house: Gatehouse) -> None:
    house.set_up()
    devices = house.calls(Role.WITH_PIN, "/devices")
    assert (devices.status_code, devices.headers["Cache-Control"]) == (200, "no-store")
    for path in ("/sign-in", "/pair/x"):
        assert house.calls(Role.NOBODY, path).headers["Cache-Control"] == "no-store"


# --- who is at home -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("peer", "host", "more", "at_home"),
    [
        ("127.0.0.1", "127.0.0.1:5000", {}, True),
        ("127.0.0.1", "localhost", {}, True),
        ("127.3.2.1", "LOCALHOST:80", {}, True),
        ("::1", "[::1]:5000", {}, True),
        ("::ffff:127.0.0.1", "localhost", {}, True),
        ("192.168.7.7", "127.0.0.1", {}, False),
        ("192.168.7.7", "192.168.7.1", {}, False),
        ("", "localhost", {}, False),
        ("127.0.0.1", "192.168.7.1", {}, False),
        ("127.0.0.1", "0.0.0.0", {}, False),
        ("127.0.0.1", "localhost", {"X-Forwarded-For": "10.0.0.9"}, False),
        ("127.0.0.1", "localhost", {"X-Forwarded-Proto": "https"}, False),
        ("127.0.0.1", "localhost", {"Forwarded": "for=10.0.0.9"}, False),
        ("127.0.0.1", "localhost", {"X-Real-IP": "10.0.0.9"}, False),
        ("127.0.0.1", "localhost", {"Via": "1.1 proxy"}, False),
        ("127.0.0.1", "localhost", {"CF-Connecting-IP": "10.0.0.9"}, False),
    ],
)
def test_only_who_sits_at_the_computer_comes_in_without_a_word(
    house: Gatehouse, peer: str, host: str, more: dict[str, str], at_home: bool
) -> None:
    def look() -> str:
        headers = {"Host": host, "Accept": HTML, **more}
        return house.app.test_client().get("/devices", headers=headers, environ_base={"REMOTE_ADDR": peer}).text

    assert ("Who may come in." in look()) is at_home
    assert ("Look at the computer that it runs on" in look()) is not at_home
    house.set_up()
    assert "Who may come in." not in look()


def test_a_house_with_a_name_lets_nobody_in_without_a_word(tmp_path: Path) -> None:
    house = Gatehouse(tmp_path, hosts="https://story.home")
    answer = house.app.test_client().get("/", headers={"Host": "localhost", "Accept": HTML})
    assert "Look at the computer that it runs on" in answer.text
    house.database.close()


def test_before_set_up_every_page_but_set_up_sends_to_the_computer(house: Gatehouse) -> None:
    shown = []
    for endpoint, method, path in house.routes():
        if method == "HEAD" or endpoint in ("static", "setup.form", "setup.set_up"):
            continue
        answer = house.calls(Role.NOBODY, path, method)
        assert answer.status_code == 403, path
        shown.append("Look at the computer that it runs on" in answer.text)
    assert all(shown)
    assert house.calls(Role.NOBODY, "/nowhere").status_code == 403
    with house.calls(Role.NOBODY, "/static/app.js") as script:
        assert script.status_code == 200


# --- sessions -------------------------------------------------------------------------------------


def test_a_token_is_no_cookie_and_a_cookie_is_no_token(house: Gatehouse) -> None:
    house.set_up()
    name = house.app.config["SESSION_COOKIE_NAME"]
    crossed = [{"Cookie": f"{name}={KEYS[Role.SCRIPT]}"}, {"Authorization": f"Bearer {KEYS[Role.WITH_PIN]}"}]
    for headers in crossed:
        assert house.calls(Role.NOBODY, "/stories", headers={"Accept": JSON, **headers}).status_code == 401
    bad = {"Authorization": "Bearer nonsense", **house.shows(Role.WITH_PIN)}
    assert house.calls(Role.NOBODY, "/stories", headers={"Accept": JSON, **bad}).status_code == 401


@pytest.mark.parametrize("value", ["", "x", "a" * 43, "reader", "READERS", "%00", "é", "0" * 4000])
def test_a_forged_cookie_is_nobodys(house: Gatehouse, value: str) -> None:
    house.set_up()
    cookie = {"Cookie": f"{house.app.config['SESSION_COOKIE_NAME']}={value}"}
    answer = house.calls(Role.NOBODY, "/", headers=cookie)
    assert answer.headers["Location"].startswith("/sign-in")


def test_a_press_that_the_pin_stopped_goes_on_with_all_that_was_typed(house: Gatehouse) -> None:
    house.set_up()
    typed = {"name": 'The "big" tablet <b>', "role": "reader", "approval": "yes"}
    stopped = house.calls(Role.GROWN_UP, "/devices/pairings", "POST", data=typed)
    assert stopped.status_code == 403
    wrong = house.calls(
        Role.GROWN_UP, "/devices/pairings", "POST", data={**carried(stopped.text), "household_pin": "111222"}
    )
    assert wrong.status_code == 422
    assert carried(wrong.text) == carried(stopped.text) == typed
    done = house.calls(Role.GROWN_UP, "/devices/pairings", "POST", data={**typed, "household_pin": PIN})
    assert done.status_code == 200
    assert "/pair/" in done.text
    assert house.app.config["SESSION_COOKIE_NAME"] in done.headers["Set-Cookie"]
    assert house.calls(Role.GROWN_UP, "/devices").headers["Location"].startswith("/pin"), (
        "the old session id has no PIN"
    )
    house.clock(60)
    assert house.calls(Role.GROWN_UP, "/").headers["Location"].startswith("/sign-in"), "and is soon over"


def test_a_press_of_a_device_that_was_signed_out_goes_on_with_all_that_was_typed(house: Gatehouse) -> None:
    house.set_up()
    typed = {"nickname": "Mia", "band": "4-5", "pronouns": "she", "idea": 'a "shy" <b> dragon', "idempotency_key": "k1"}
    stopped = house.calls(Role.NOBODY, "/stories/generate", "POST", data=typed)
    assert stopped.status_code == 403 and stopped.headers["Cache-Control"] == "no-store"
    assert carried(stopped.text, "/stories/generate") == typed
    wrong = house.calls(
        Role.NOBODY, "/stories/generate", "POST", data={**typed, "household_passphrase": "three lamps in the hall"}
    )
    assert wrong.status_code == 422 and carried(wrong.text, "/stories/generate") == typed
    assert "Set-Cookie" not in wrong.headers
    done = house.calls(Role.NOBODY, "/stories/generate", "POST", data={**typed, "household_passphrase": PASSPHRASE})
    assert done.status_code == 303 and done.headers["Location"].startswith("/stories/jobs/")
    kept = {"Cookie": done.headers["Set-Cookie"].split(";")[0]}
    assert "shy" in house.calls(Role.NOBODY, done.headers["Location"], headers=kept).text


def test_a_press_behind_the_pin_waits_for_the_passphrase_and_then_for_the_pin(house: Gatehouse) -> None:
    house.set_up()
    typed = {"name": "a tablet", "role": "reader", "approval": "yes"}
    data = {**typed, "household_passphrase": PASSPHRASE, "household_pin": PIN}
    asked = house.calls(Role.NOBODY, "/devices/pairings", "POST", data=data)
    assert asked.status_code == 403 and 'name="household_pin"' in asked.text and carried(asked.text) == typed


def test_htmx_of_a_device_that_was_signed_out_leaves_the_form_as_it_is(house: Gatehouse) -> None:
    house.set_up()
    answer = house.calls(
        Role.NOBODY, "/stories/generate", "POST", data={"idea": "a dragon"}, headers={"HX-Request": "true"}
    )
    assert answer.status_code == 403 and "HX-Redirect" not in answer.headers
    assert "Sign in in another tab, then press again" in answer.text.split('class="error')[1]


@pytest.mark.parametrize("role", [Role.NOBODY, Role.GROWN_UP])
def test_an_edit_of_a_long_story_waits_at_the_door_and_goes_on_as_it_came(house: Gatehouse, role: Role) -> None:
    """As the other kind of form a letter of it would take six bytes, and all be too long to be read."""
    house.set_up()
    secrets = {"household_passphrase": PASSPHRASE} if role is Role.NOBODY else {"household_pin": PIN}
    typed = {"sha256": "0" * 64, "title": "Медведь", "text": "Жил-был медведь, и было ему тепло. " * 1200}
    path, a_form = "/safety/stories/7/edit", {"content_type": "multipart/form-data"}
    stopped = house.calls(role, path, "POST", data=typed, **a_form)
    assert stopped.status_code == 403 and carried(stopped.text, path) == typed
    assert f'enctype="multipart/form-data" action="{path}"' in stopped.text
    done = house.calls(role, path, "POST", data={**typed, **secrets}, **a_form)
    if role is Role.NOBODY:  # and now the PIN
        assert done.status_code == 403 and carried(done.text, path) == typed
    else:
        assert done.status_code == 404, "the view was reached: there is no such story"


@pytest.mark.parametrize("header", ["Referer", "HX-Current-URL"])
@pytest.mark.parametrize("role", [Role.NOBODY, Role.READER, Role.GROWN_UP])
def test_an_address_that_is_none_leads_to_tonight(house: Gatehouse, role: Role, header: str) -> None:
    house.set_up()
    for method, path in (("POST", "/notes"), ("GET", "/settings")):
        answer = house.calls(role, path, method, headers={header: "http://[bad", "HX-Request": "true"})
        assert answer.status_code < 500, answer.text


def test_an_upload_of_nobodys_is_not_carried_along(house: Gatehouse) -> None:
    house.set_up()
    upload = {"text": "x", "file": (BytesIO(b"a"), "a.txt")}
    answer = house.calls(Role.NOBODY, "/notes", "POST", data=upload, content_type="multipart/form-data")
    assert answer.status_code == 303 and answer.headers["Location"].startswith("/sign-in")


def test_the_pin_pressed_twice_counts_once_and_signs_nobody_out(house: Gatehouse) -> None:
    house.set_up()
    presses = [
        house.calls(Role.GROWN_UP, "/pin", "POST", data={"household_pin": PIN, "next": "/devices"}) for _ in range(2)
    ]
    assert [press.headers["Location"] for press in presses] == ["/devices"] * 2
    kept = presses[1].headers["Set-Cookie"].split(";")[0]
    assert house.calls(Role.NOBODY, "/devices", headers={"Cookie": kept}).status_code == 200


def test_the_pin_is_asked_for_again_after_ten_minutes(house: Gatehouse) -> None:
    house.set_up()
    assert house.calls(Role.WITH_PIN, "/devices").status_code == 200
    house.clock(599)
    assert house.calls(Role.WITH_PIN, "/devices").status_code == 200
    house.clock(601)
    assert house.calls(Role.WITH_PIN, "/devices").headers["Location"] == "/pin?next=/devices"
    house.clock(-3 * 86400)
    assert house.calls(Role.WITH_PIN, "/devices").headers["Location"] == "/pin?next=/devices", (
        "nor does a wrong clock help"
    )


def carried(page: str, action: str = "/devices/pairings") -> dict[str, str]:
    """The hidden fields of the form that asks for the PIN or the passphrase, as they are written in the page."""
    form = page.split(f'action="{action}"')[1].split("</form>")[0]
    held = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form)
    return {name: unescape(value) for name, value in held}


@pytest.mark.parametrize(
    "next_",
    [
        "//evil.example",
        "https://evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        "evil",
        "",
    ],
)
def test_after_signing_in_one_stays_in_the_house(house: Gatehouse, next_: str) -> None:
    house.set_up()
    form = {"passphrase": "four lamps in the hall", "next": next_}
    assert house.calls(Role.NOBODY, "/sign-in", "POST", data=form).headers["Location"] == "/"
    form["next"] = "/stories?q=bear"
    assert house.calls(Role.NOBODY, "/sign-in", "POST", data=form).headers["Location"] == "/stories?q=bear"


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(tmp_path: Path) -> None:
    for origin, encrypted in (("http://story.home", False), ("https://story.home", True)):
        house = Gatehouse(tmp_path / str(encrypted), hosts=origin)
        house.set_up()
        headers = {"Host": "story.home", "Origin": origin}
        answer = house.calls(
            Role.NOBODY, "/sign-in", "POST", data={"passphrase": "four lamps in the hall"}, headers=headers
        )
        cookie = answer.headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Path=/" in cookie
        assert ("Secure" in cookie) is encrypted
        house.database.close()
