"""Who is called what, and where: names never leave the house, stand-ins do."""

from bedtime.casting.roles import cast, fill, hide, named, named_slots, to_slots

__all__ = ["cast", "fill", "hide", "named", "named_slots", "to_slots"]
