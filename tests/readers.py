"""Readers' devices and stories that they must not see, as the tests of approval need them."""

import base64
from collections.abc import Callable
from dataclasses import dataclass

from doors import Device, paired, set_up, token_of
from provider import Provider
from provider_story import STORY
from running import Running

CANARY = "quillivant"  # a word that stands in no other story
UNSAFE = f"Then the {CANARY} killed the old dog by the gate."
HARMLESS = f"Then the {CANARY} yawned, and the old dog yawned too."
FILES = ("epub", "html", "txt")


def told(paragraph: str, title: str = "The Lamp by the Gate") -> str:
    """The mode in which the provider tells a story with this paragraph in its middle."""
    _, *paragraphs = STORY.partition("\n\n***")[0].format(name="Wren").split("\n\n")
    paragraphs.insert(len(paragraphs) // 2, paragraph)
    text = "\n\n".join([title, *(" ".join(one.split()) for one in paragraphs)])
    return f"text:{base64.urlsafe_b64encode(text.encode()).decode()}"


@dataclass
class Home:
    """A house with its grown-up's phone, a tablet that sees what was approved, and one that needs no approval."""

    house: Running
    phone: Device
    tablet: Device
    trusted: Device

    @classmethod
    def of(cls, house: Running) -> "Home":
        phone = set_up(house)
        return cls(house, phone, paired(phone), paired(phone, approval=False))

    def script(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {token_of(self.phone)}", "Accept": "application/json"}

    def judge(self, story_id: int, verdict: str) -> None:
        """One of the buttons: approve, hide, show."""
        sha256 = self.house.rows("SELECT sha256 FROM stories WHERE id = ?", story_id)[0]["sha256"]
        answer = self.phone.post(f"/safety/stories/{story_id}/{verdict}", data={"sha256": sha256})
        assert answer.status_code == 303, answer.text

    def sees(self, device: Device, story_id: int) -> bool:
        return device.get(f"/stories/{story_id}").status_code == 200


def ask_and_set_up(paid: Callable[..., Running], provider: Provider, *modes: str, **wish: object) -> Home:
    """A story of each mode, told before anybody is let in."""
    house = paid()
    for mode in modes:
        provider.set_mode(mode)
        job = house.ended(house.asked(**wish))
        assert job["status"] == "completed", job
    return Home.of(house)


def ways_to(story_id: int) -> list[str]:
    """Every address under which a story, or a word of it, could be read."""
    one = f"/stories/{story_id}"
    lists = [
        "/",
        f"/?continues={story_id}",
        "/stories",
        f"/stories?q={CANARY[:6]}",
        "/stories?only=unread",
        f"/stories?series={story_id}",
    ]
    return [
        *lists,
        f"/stories?before={story_id + 1}",
        one,
        f"{one}/cover.svg",
        *(f"{one}/story.{kind}" for kind in FILES),
    ]
