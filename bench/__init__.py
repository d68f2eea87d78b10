"""How fast the spine is beside the bare thing, in one run: `make bench`, or `python -m bench queue idle`."""
