"""Who is called what, and where: names never leave the house, stand-ins do."""

from bedtime.casting.roles import cast, hide, named
from bedtime.casting.slots import draft_to_slots, fill, named_slots, to_slots

__all__ = ["cast", "draft_to_slots", "fill", "hide", "named", "named_slots", "to_slots"]
