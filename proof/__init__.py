"""The promises, far beyond single points: `make proof`, or `python -m proof pairs chaos --seed 7`."""
