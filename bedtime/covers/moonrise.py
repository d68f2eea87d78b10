"""The picture over a story that is being told: a moon on its way across a sleeping hill."""

import math

STEPS = 20

_NIGHT, _HILL, _HOUSE, _LIGHT, _PATH = "#1b1a2b", "#14131d", "#0d0c14", "#f4b66a", "#4a4560"


def moonrise(step: int) -> str:
    """An SVG of 390 × 170 with the moon `step` of STEPS along its arc; it means nothing that the words don't say."""
    along = max(0, min(step, STEPS)) / STEPS
    x, y = 36 + 318 * along, 138 - 100 * math.sin(math.pi * (0.08 + 0.84 * along))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 390 170" aria-hidden="true">'
        f'<rect width="390" height="170" fill="{_NIGHT}"/>'
        f'<path d="M20 146Q195 -66 370 146" fill="none" stroke="{_PATH}" stroke-width="1.5" stroke-dasharray="1 7" '
        'stroke-linecap="round"/>'
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="38" fill="{_LIGHT}" opacity=".1"/>'
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="16" fill="{_LIGHT}"/>'
        f'<path d="M0 170V142Q70 118 140 140T290 134T390 140V170Z" fill="{_HILL}"/>'
        f'<path d="M300 139v-21l13-12 13 12v21z" fill="{_HOUSE}"/><path d="M309 121h8v8h-8z" fill="{_LIGHT}"/></svg>'
    )
