"""A house on the network and the devices that call it, as the tests of the doors need them."""

from typing import Any

import requests
from running import Running

PASSPHRASE, PIN = "four lamps in the hall", "482915"
OUTSIDE = "192.168.7.7"  # any address that is not loopback: as a device on the Wi-Fi calls us
HTML = "text/html,application/xhtml+xml"


class Device:
    """A browser with its own cookies, which calls from the network."""

    def __init__(self, house: Running, *, host: str = OUTSIDE) -> None:
        self.house, self.host = house, f"{host}:{house.url.rsplit(':', 1)[1]}"
        self.http = requests.Session()
        self.http.trust_env = False

    def get(self, path: str, **more: Any) -> requests.Response:
        return self.send("GET", path, **more)

    def post(self, path: str, **more: Any) -> requests.Response:
        return self.send("POST", path, **more)

    def send(self, method: str, path: str, *, headers: dict[str, str] | None = None, **more: Any) -> requests.Response:
        """One request; where it would lead is told, not followed. The cookie goes along as a browser sends it."""
        sent = {
            "Host": self.host,
            "Accept": HTML,
            **({"Cookie": self.cookie} if self.cookie else {}),
            **(headers or {}),
        }
        url = self.house.url + path
        answer = requests.request(method, url, headers=sent, timeout=30, allow_redirects=False, **more)
        for name, value in answer.cookies.items():
            self.http.cookies.set(name, value)
        if "Expires=Thu, 01 Jan 1970" in answer.headers.get("Set-Cookie", ""):
            self.http.cookies.clear()
        return answer

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())

    def sign_in(self, passphrase: str = PASSPHRASE, **more: Any) -> requests.Response:
        return self.post("/sign-in", data={"passphrase": passphrase, **more})

    def give_pin(self, pin: str = PIN, **more: Any) -> requests.Response:
        return self.post("/pin", data={"household_pin": pin, **more})


def set_up(house: Running) -> Device:
    """The first grown-up's device, which has just given the PIN."""
    token = (house.folder / "setup_token").read_text()
    phone = Device(house)
    answer = phone.post(f"/setup/{token}", data={"passphrase": PASSPHRASE, "pin": PIN})
    assert answer.status_code == 303, answer.text
    return phone


def paired(phone: Device, *, role: str = "reader", approval: bool = True) -> Device:
    """A device that a grown-up let in by a code."""
    fields = {"name": "tablet", "role": role, **({"approval": "yes"} if approval else {})}
    page = phone.post("/devices/pairings", data=fields)
    assert page.status_code == 200, page.text
    tablet = Device(phone.house)
    assert tablet.post(path_of_code(page.text)).status_code == 303
    return tablet


def path_of_code(page: str) -> str:
    """Where the pairing code on this page leads."""
    return "/pair/" + page.split("/pair/")[1].split("<")[0].strip()


def token_of(phone: Device, *, cap: str = "0.50") -> str:
    """The token of a script that a grown-up made."""
    page = phone.post("/devices/scripts", data={"name": "kitchen clock", "cap": cap})
    assert page.status_code == 200, page.text
    return page.text.split('id="token" value="')[1].split('"')[0]
