"""What is set at the machine, as a person may see it: each value with where it came from, and never a key."""

from dataclasses import dataclass

from bedtime.settings import TABLE, Setting, Settings
from bedtime.settings.layers import PREFIX
from bedtime.values import MICROS

MONEY = ("price_in_micros", "price_out_micros", "monthly_cap_micros")


@dataclass(frozen=True, slots=True)
class Shown:
    """One setting: its whole name, its value in words, `default`, `environment` or the file that it stands in."""

    name: str
    attribute: str
    value: str
    source: str


def shown(settings: Settings) -> list[Shown]:
    """The folder first, then every row of the table."""
    folder = Shown(PREFIX + "INSTANCE", "instance", str(settings.instance), settings.sources["instance"])
    return [folder, *(_shown(settings, setting, setting.attribute or setting.name.lower()) for setting in TABLE)]


def _shown(settings: Settings, setting: Setting, attribute: str) -> Shown:
    value = _value(settings, setting, attribute)
    return Shown(PREFIX + setting.name, attribute, value, settings.sources[attribute])


def _value(settings: Settings, setting: Setting, attribute: str) -> str:
    value = getattr(settings, attribute)
    if value in (None, (), {}):
        return "not set"
    if not setting.shown:
        return "set"
    if attribute in MONEY:
        return f"{value / MICROS:.2f}" if value % (MICROS // 100) == 0 else f"{value / MICROS:.6f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else f"{value:g}" if isinstance(value, float) else str(value)
