"""Bedtime: a bedtime-story server for one household."""
