"""Threats at the doors, each by its name: a guest, a page elsewhere, a rebound name, guesses, old secrets."""

import hashlib
import itertools
import os
import re
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from doors import PASSPHRASE, PIN, Device, paired, path_of_code, set_up, token_of
from gatehouse import HTML, OUTSIDE, Gatehouse
from running import Running
from werkzeug.test import EnvironBuilder

from bedtime.web import access
from bedtime.web.access import Role

JSON = "application/json"
CANARY = "Zorblattina"


@pytest.fixture(scope="module")
def gatehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gatehouse]:
    house = Gatehouse(tmp_path_factory.mktemp("threats"), hosts="https://story.home")
    house.set_up()
    house.only_the_gate()
    yield house
    house.database.close()


# --- guest on the Wi-Fi ---------------------------------------------------------------------------


def test_guest_on_the_wifi_finds_no_name_title_count_or_version(
    household: Callable[..., Running], tmp_path: Path
) -> None:
    house = household()
    child = {"nickname": CANARY, "band": "4-5", "pronouns": "she"}
    for _ in range(2):
        house.ended(house.asked(children=[child], from_book=True))
    titles = [row["title"].replace("{child:1}", CANARY) for row in house.rows("SELECT title FROM stories")]
    set_up(house)
    guest, seen = Device(house), b""
    for method, path in routes_and_links(tmp_path, guest):
        for accept in (HTML, JSON) if method == "GET" else (HTML,):
            answer = guest.send(method, path, headers={"Accept": accept})
            head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
            seen += head.encode() + answer.content if not path.startswith("/static/") else head.encode()
    text = seen.decode(errors="replace")
    assert len(text) > 10_000
    assert [word for word in (CANARY, *titles) if word.casefold() in text.casefold()] == []
    assert re.findall(r"(?i)(?:werkzeug|waitress|flask|python|bedtime)/[0-9.]+|^server:.*", text, re.M) == []
    assert re.findall(r"\b\d+ (?:story|stories|children|devices|wishes)\b", text) == []
    assert guest.get("/healthz", headers={"Accept": JSON}).json() == {"status": "ok"}


def routes_and_links(tmp_path: Path, guest: Device) -> list[tuple[str, str]]:
    """Every route with ids that exist and ids that don't, and whatever the pages link to."""
    house = Gatehouse(tmp_path / "routes")
    found = {(method, path.replace("999999", number)) for _, method, path in house.routes() for number in ("1", "99")}
    house.database.close()
    links = {
        link
        for path in ("/", "/sign-in", "/nowhere")
        for link in re.findall(r'(?:href|src)="(/[^"]*)"', guest.get(path).text)
    }
    return sorted(found | {("GET", link) for link in links})


# --- a web page elsewhere -------------------------------------------------------------------------

ORIGINS = {
    None: True,
    f"http://{OUTSIDE}": True,
    "https://story.home": True,
    "null": False,
    "http://evil.example": False,
    f"http://{OUTSIDE}:8080": False,
    f"https://{OUTSIDE}": False,
    f"http://{OUTSIDE}.evil.example": False,
}
SITES = {None: True, "same-origin": True, "none": True, "same-site": False, "cross-site": False}
KINDS = {
    "application/x-www-form-urlencoded": True,
    "multipart/form-data; boundary=x": True,
    "application/json": True,
    "text/plain": False,
    "": False,
}


def test_a_web_page_elsewhere(gatehouse: Gatehouse) -> None:
    """Every unsafe route × Origin × Sec-Fetch-Site × content type, for a grown-up who gave the PIN a moment ago."""
    unsafe = sorted({path for _, method, path in gatehouse.routes() if method not in ("GET", "HEAD")})
    assert len(unsafe) > 15
    wrong = []
    for path, (origin, own), (site, near), (kind, known) in itertools.product(
        unsafe, ORIGINS.items(), SITES.items(), KINDS.items()
    ):
        headers = {"Origin": origin, "Sec-Fetch-Site": site, "Content-Type": kind, "Accept": JSON}
        gatehouse.let_in.clear()
        answer = gatehouse.calls(
            Role.WITH_PIN,
            path,
            "POST",
            headers={name: value for name, value in headers.items() if value is not None},
            data=b"x" * 10,
        )
        if bool(gatehouse.let_in) is not (own and near and known):
            wrong.append(f"{path} from {origin!r}, {site}, {kind!r}: {answer.status}")
    assert wrong == []


def test_nothing_changes_by_get(gatehouse: Gatehouse) -> None:
    """A page that shows is no page that does: every address that changes something takes POST only."""
    shows = {endpoint for endpoint, method, _ in gatehouse.routes() if method == "GET"}
    does = {endpoint for endpoint, method, _ in gatehouse.routes() if method == "POST"}
    assert shows & does == set()


# --- DNS rebinding --------------------------------------------------------------------------------

STRANGE_HOSTS = (
    "evil.example", "evil.example:5000", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.7.7.nip.example",
    "evil.example@localhost", "localhost@evil.example", "localhost/evil", "localhost#evil.example", "evil.example?localhost",
    "localhost, evil.example", "localhost evil", "[::1", "[evil.example]", "127.1", "0x7f000001", "localhost:port",
    "local host", "story.home.evil.example", "", "\x00", "löcalhost",
)  # fmt: skip
OWN_HOSTS = (
    "localhost",
    "LocalHost:5000",
    "localhost.",
    "127.0.0.1",
    "192.168.7.7:5000",
    "[::1]:5000",
    "[fe80::1]",
    "story.home",
)


def test_dns_rebinding(gatehouse: Gatehouse) -> None:
    """A list of Hosts on all routes, static files included; and no Host at all."""
    paths = sorted({(method, path) for _, method, path in gatehouse.routes()})
    assert any(path.startswith("/static/") for _, path in paths)
    for method, path in paths:
        gatehouse.let_in.clear()
        strange = {host: status_at(gatehouse, host, method, path) for host in (*STRANGE_HOSTS, None)}
        assert {host: status for host, status in strange.items() if status != 400} == {}, f"{method} {path}"
        assert gatehouse.let_in == []
    for host in OWN_HOSTS:
        assert status_at(gatehouse, host, "GET", "/sign-in") == 204, host


def status_at(house: Gatehouse, host: str | None, method: str, path: str) -> int:
    environ = EnvironBuilder(path=path, method=method).get_environ()
    environ.pop("HTTP_HOST", None)
    if host is not None:
        environ["HTTP_HOST"] = host
    said: list[str] = []
    body = house.app.wsgi_app(environ, lambda status, headers, exc_info=None: said.append(status) or said.append)
    b"".join(body)
    getattr(body, "close", lambda: None)()
    return int(said[0].split()[0])


# --- guesses --------------------------------------------------------------------------------------


def test_pin_guessing_forty_at_once_let_five_through(household: Callable[..., Running]) -> None:
    house = household()
    phone = set_up(house)
    guesser = paired(phone, role="grown_up")
    with ThreadPoolExecutor(40) as crowd:
        answers = list(crowd.map(lambda n: guesser.give_pin(f"{n:06}"), range(111_200, 111_240)))
    assert sorted(answer.status_code for answer in answers) == [422] * 5 + [429] * 35
    blocked = guesser.give_pin(PIN)
    assert blocked.status_code == 429
    assert 0 < int(blocked.headers["Retry-After"]) <= 60
    assert phone.get("/devices").status_code == 200, "who gave it before is not disturbed"
    assert guesser.get("/stories").status_code == 200, "reading goes on"


def test_passphrase_guessing_forty_at_once_let_five_through_and_a_restart_keeps_the_count(
    household: Callable[..., Running],
) -> None:
    house = household()
    phone = set_up(house)
    stranger = Device(house)
    with ThreadPoolExecutor(40) as crowd:
        answers = list(crowd.map(lambda n: stranger.sign_in(f"a wrong passphrase {n}"), range(40)))
    assert sorted(answer.status_code for answer in answers) == [422] * 5 + [429] * 35
    house.kill()
    house.start()
    again = Device(house)
    assert again.sign_in().status_code == 429
    assert phone.get("/", headers={"Host": again.host}).status_code == 200, "who is in stays in"


def test_a_right_guess_among_the_first_five_comes_in(household: Callable[..., Running]) -> None:
    house = household()
    set_up(house)
    phone = Device(house)
    assert [phone.sign_in("wrong, wrong, wrong").status_code for _ in range(4)] == [422] * 4
    assert phone.sign_in(f"  {PASSPHRASE.replace(' ', '   ')} ").status_code == 303
    assert phone.sign_in("wrong, wrong, wrong").status_code == 422, "counting began anew"


# --- set-up ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passphrase", "pin"),
    [
        ("x", PIN),
        ("ten chars", PIN),
        ("a" * 40, PIN),
        ("long " * 2000, PIN),
        ("", PIN),
        (PASSPHRASE, "abcdef"),
        (PASSPHRASE, "12345"),
        (PASSPHRASE, "1234567"),
        (f"\ufeff{PASSPHRASE}", PIN),
        (PASSPHRASE, "١٢٣٤٥٦"),
        (PASSPHRASE, "777777"),
        (PASSPHRASE, "234567"),
        (PASSPHRASE, "987654"),
        (PASSPHRASE, ""),
    ],
)
def test_set_up_refuses_what_is_easily_guessed_and_keeps_nothing(tmp_path: Path, passphrase: str, pin: str) -> None:
    house = Gatehouse(tmp_path)
    path = f"/setup/{(house.folder / 'setup_token').read_text()}"
    answer = house.calls(Role.NOBODY, path, "POST", data={"passphrase": passphrase, "pin": pin})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert "Set-Cookie" not in answer.headers
    assert house.calls(Role.NOBODY, path, "POST", data={"passphrase": PASSPHRASE, "pin": PIN}).status_code == 303
    house.database.close()


def test_set_up_twice_overwrites_nothing(household: Callable[..., Running]) -> None:
    house = household()
    path = f"/setup/{(house.folder / 'setup_token').read_text()}"
    devices = [Device(house) for _ in range(8)]

    def set_up_with(number: int) -> int:
        data = {"passphrase": f"passphrase number {number}", "pin": f"48291{number}"}
        return devices[number].post(path, data=data).status_code

    with ThreadPoolExecutor(8) as crowd:
        statuses = list(crowd.map(set_up_with, range(8)))
    assert sorted(statuses) == [303] + [409] * 7
    winner = statuses.index(303)
    assert Device(house).post(path, data={"passphrase": PASSPHRASE, "pin": PIN}).status_code == 409
    assert Device(house).get(path).status_code == 409
    assert Device(house).sign_in(f"passphrase number {winner}").status_code == 303
    assert not (house.folder / "setup_token").exists()


@pytest.mark.parametrize("token", ["", "x", "0" * 64, "é"])
def test_set_up_opens_with_the_link_only(household: Callable[..., Running], token: str) -> None:
    house = household()
    guest = Device(house)
    for answer in (
        guest.get(f"/setup/{token}"),
        guest.post(f"/setup/{token}", data={"passphrase": PASSPHRASE, "pin": PIN}),
    ):
        assert answer.status_code in (403, 405)
    assert house.rows("SELECT * FROM secrets") == []


# --- sessions and pairing -------------------------------------------------------------------------


def test_a_cookie_that_was_signed_out_is_refused(household: Callable[..., Running]) -> None:
    house = household()
    phone = set_up(house)
    stolen = {"Cookie": phone.cookie}
    assert phone.post("/sign-out").headers["Location"] == "/sign-in"
    assert phone.cookie == ""
    assert Device(house).get("/", headers=stolen).headers["Location"].startswith("/sign-in")


def test_a_session_id_is_new_at_sign_in_and_with_the_pin(household: Callable[..., Running]) -> None:
    house = household()
    set_up(house)
    phone = Device(house)
    phone.http.cookies.set(house_cookie(phone), "fixed-by-somebody-else")
    cookies = [phone.cookie]
    for press in (phone.sign_in, phone.give_pin, phone.sign_in):
        assert press().status_code == 303
        cookies.append(phone.cookie)
    assert len(set(cookies)) == 4
    for old in cookies[:-1]:
        assert Device(house).get("/devices", headers={"Cookie": old}).status_code == 303
    assert len(house.rows("SELECT id FROM devices")) == 3, "a device that signs in anew stays one device"


def house_cookie(phone: Device) -> str:
    """The name of this install's cookie, as a wrong guess never shows it."""
    other = Device(phone.house)
    other.sign_in()
    return other.cookie.split("=")[0]


def test_a_pairing_code_works_once_however_many_show_it(household: Callable[..., Running]) -> None:
    house = household()
    phone = set_up(house)
    page = phone.post("/devices/pairings", data={"name": "tablet", "role": "reader", "approval": "yes"})
    path = path_of_code(page.text)
    assert 'src="data:image/svg+xml' in page.text and page.headers["Cache-Control"] == "no-store"
    for _ in range(3):
        assert Device(house).get(path).status_code == 200, "looking uses nothing up"
    tablets = [Device(house) for _ in range(8)]
    with ThreadPoolExecutor(8) as crowd:
        statuses = list(crowd.map(lambda tablet: tablet.post(path).status_code, tablets))
    assert sorted(statuses) == [303] + [410] * 7
    tablet = tablets[statuses.index(303)]
    assert tablet.get("/").status_code == 200
    assert tablet.get("/children").status_code == 403
    assert Device(house).get(path).status_code == 410


def test_a_reader_can_neither_spend_nor_change_nor_see_what_nobody_approved(household: Callable[..., Running]) -> None:
    house = household()
    story_url = house.ended(house.asked(children=[{"nickname": CANARY, "band": "4-5", "pronouns": "she"}]))["story_url"]
    phone = set_up(house)
    strict, free = paired(phone), paired(phone, approval=False)
    title = phone.get(story_url, headers={"Accept": JSON}).json()["title"]
    for path in (
        "/",
        "/stories",
        story_url,
        f"{story_url}/cover.svg",
        f"{story_url}/story.txt",
        "/stories?q=" + CANARY,
    ):
        assert phone.get(path).status_code == 200
        assert free.get(path).status_code == 200
        assert strict.get(path).status_code == (404 if path.startswith(story_url) else 200)
        assert title not in strict.get(path).text, "whom one may wish for is named, the story is not"
    assert strict.post(f"{story_url}/mark", data={"favourite": "yes"}).status_code == 404
    asked = len(house.rows("SELECT id FROM jobs"))
    for path in ("/stories/generate", "/stories/preview", "/stories/jobs/1/again", "/children", "/devices/pairings"):
        assert free.post(path, data={"name": "x"}).status_code == 403
    assert len(house.rows("SELECT id FROM jobs")) == asked


def test_a_device_that_is_signed_out_by_another_is_out(household: Callable[..., Running]) -> None:
    house = household()
    phone = set_up(house)
    tablet, token = paired(phone), token_of(phone)
    assert tablet.get("/").status_code == 200
    for row in house.rows("SELECT id FROM devices WHERE role <> 'grown_up'"):
        assert phone.post(f"/devices/{row['id']}/sign-out").status_code == 303
    assert tablet.get("/").headers["Location"].startswith("/sign-in")
    script = Device(house)
    assert script.get("/stories", headers={"Authorization": f"Bearer {token}", "Accept": JSON}).status_code == 401


# --- scripts --------------------------------------------------------------------------------------


def test_a_script_asks_within_its_own_cap_and_can_do_nothing_else(paid: Callable[..., Running]) -> None:
    house = paid()
    phone = set_up(house)
    at_most = 44_000
    script = Script(house, token_of(phone, cap="0.09"))
    first = script.ask("first")
    assert first.status_code == 202
    assert script.ask("first").status_code == 202, "a known key is answered even at the cap"
    assert script.ask("second").status_code == 202
    third = script.ask("third")
    assert third.status_code == 429, f"two wishes of up to {at_most} micros each fit in"
    assert third.json()["type"] == "urn:bedtime:daily-cap"
    assert script.ask("third", from_book=True).status_code == 202, (
        "a tale from the book is free, and the key was not used up"
    )
    other = Script(house, token_of(phone, cap="0.09"))
    assert other.ask("others").status_code == 202, "each script has a cap of its own"
    job = first.json()["status_url"]
    assert script.get(job).json()["job_id"] == first.json()["job_id"]
    for path in ("/stories", "/healthz"):
        assert script.get(path).status_code == 200
    for path in ("/", "/children", "/devices", "/grown-ups"):
        assert script.get(path).status_code == 403
    assert len(house.rows("SELECT id FROM story_requests WHERE device_id IS NOT NULL")) == 4


class Script(Device):
    """Sends its token with each request, and reads JSON."""

    def __init__(self, house: Running, token: str) -> None:
        super().__init__(house)
        self.token = token

    def send(self, method: str, path: str, *, headers: dict[str, str] | None = None, **more: object):  # type: ignore[no-untyped-def]
        sent = {"Accept": JSON, "Authorization": f"Bearer {self.token}", **(headers or {})}
        return super().send(method, path, headers=sent, **more)

    def ask(self, key: str, **wish: object):  # type: ignore[no-untyped-def]
        child = {"nickname": "Mia", "band": "4-5", "pronouns": "she"}
        return self.post("/stories/generate", json={"children": [child], **wish}, headers={"Idempotency-Key": key})


# --- an old secret, and files ---------------------------------------------------------------------


def test_an_old_secret_two_fresh_installs_share_none(tmp_path: Path) -> None:
    houses = [Gatehouse(tmp_path / name) for name in ("one", "two")]
    for house in houses:
        house.set_up()
    for secret in ("secret_key", "setup_token"):
        first, second = ((house.folder / secret).read_bytes() for house in houses)
        assert first != second and len(first) >= 32
    names = {house.app.config["SESSION_COOKIE_NAME"] for house in houses}
    assert len(names) == 2
    again = Gatehouse(tmp_path / "one")
    assert again.app.config["SECRET_KEY"] == houses[0].app.config["SECRET_KEY"]
    for house in (*houses, again):
        house.database.close()


def test_files_are_closed_to_others_whatever_the_umask_was(household: Callable[..., Running]) -> None:
    before = os.umask(0)
    try:
        house = household()
    finally:
        os.umask(before)
    house.ended(house.asked(from_book=True))
    set_up(house)
    modes = {path.name: stat.S_IMODE(path.lstat().st_mode) for path in (house.folder, *house.folder.rglob("*"))}
    assert {"secret_key", "bedtime.db", "bedtime.db-wal", "worker.lock", "write.lock"} <= modes.keys()
    assert {name: oct(mode) for name, mode in modes.items() if mode not in (0o600, 0o700)} == {}
    assert house.process
    status = Path(f"/proc/{house.process.pid}/status").read_text()
    assert re.search(r"^Umask:\s*0077$", status, re.M), "and so is whatever else it will ever write"


def test_a_proxy_on_the_same_machine_makes_nobody_a_grown_up(household: Callable[..., Running]) -> None:
    """The server hands the proxy's headers on: see clear_untrusted_proxy_headers."""
    house = household()
    assert house.get("/devices", headers={"Accept": HTML}).status_code == 200
    for name in ("X-Forwarded-For", "Forwarded", "X-Forwarded-Host", "Via"):
        assert house.get("/devices", headers={"Accept": HTML, name: "10.0.0.9"}).status_code == 403


def test_the_exact_headers_are_on_every_answer(gatehouse: Gatehouse) -> None:
    for endpoint, method, path in gatehouse.routes():
        with gatehouse.calls(Role.NOBODY, path, method) as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert policy.startswith(
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
            ), endpoint
            assert policy.endswith("form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "same-origin"
            assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
            assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
            assert answer.headers["Permissions-Policy"] == "camera=(), microphone=(), geolocation=()"
            assert not [name for name in answer.headers if name[0].startswith("Access-Control")]
            assert "Server" not in answer.headers


def test_the_exact_settings(gatehouse: Gatehouse) -> None:
    config = gatehouse.app.config
    assert len(config["SECRET_KEY"]) == 32
    assert (config["MAX_CONTENT_LENGTH"], config["MAX_FORM_MEMORY_SIZE"], config["MAX_FORM_PARTS"]) == (
        65536,
        32768,
        40,
    )
    assert (config["SESSION_COOKIE_HTTPONLY"], config["SESSION_COOKIE_SAMESITE"]) == (True, "Lax")
    assert gatehouse.app.jinja_options["autoescape"] is True


def test_a_guess_of_thirty_kilobytes_is_counted_like_any_other_but_never_hashed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = Gatehouse(tmp_path)
    house.set_up()
    hashed: list[bytes] = []
    monkeypatch.setattr(hashlib, "scrypt", lambda secret, **_: hashed.append(secret) or bytes(32))
    answers = [
        house.calls(Role.NOBODY, "/sign-in", "POST", data={"passphrase": guess})
        for guess in ["owl in a kettle", *["a!" * 15_000] * 5]
    ]
    assert [answer.status_code for answer in answers] == [422] * 5 + [429]
    assert hashed == [b"owl in a kettle"]
    house.database.close()


def test_every_door_that_the_table_names_is_one_of_four_roles() -> None:
    assert set(access.TABLE.values()) == {Role.NOBODY, Role.READER, Role.GROWN_UP, Role.WITH_PIN}
