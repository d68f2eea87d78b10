"""The picture over a story that is being told: the moon on its way to a house with one lit window."""

from bedtime.covers.sky import moon

STEPS = 20

_SKY = (
    '<defs><linearGradient id="moonrise-sky" x2="0" y2="1"><stop offset="0" stop-color="#191a33"/>'
    '<stop offset=".55" stop-color="#2f2a4c"/><stop offset="1" stop-color="#6a4a63"/></linearGradient>'
    '<radialGradient id="moonrise-glow"><stop offset="0" stop-color="#f4b66a" stop-opacity=".5"/>'
    '<stop offset="1" stop-color="#f4b66a" stop-opacity="0"/></radialGradient></defs>'
    '<path fill="url(#moonrise-sky)" d="M0 0H390V170H0Z"/>'
    '<path d="M26 28h.1M64 74h.1M96 22h.1M138 50h.1M176 16h.1M214 62h.1M248 30h.1M290 70h.1M318 22h.1M352 52h.1"'
    ' stroke="#efe6d6" stroke-width="2.4" stroke-linecap="round" opacity=".6"/>'
    '<path d="M20 150Q195-40 370 150" fill="none" stroke="#efe6d6" stroke-width="2" stroke-linecap="round"'
    ' stroke-dasharray=".1 8" opacity=".4"/>'
)
_LAND = (
    '<path d="M0 170V128Q60 104 120 124T250 116T390 122V170Z" fill="#2a2440"/>'
    '<path d="M0 170V144Q70 120 140 142T290 136T390 142V170Z" fill="#14131d"/>'
    '<path d="M296 140v-24l18-16 18 16v24zM322 98h7v14h-7zM350 142l12-36 12 36zM262 140l9-26 9 26z" fill="#0d0c14"/>'
    '<path d="M307 118h12v12h-12z" fill="#f4b66a"/>'
)


def moonrise(step: int) -> str:
    """An SVG of 390 by 170 units with the moon `step` of STEPS along its arc: from behind the hills to over the house.

    It means nothing that the words don't say.
    """
    t = 600 + 7200 * min(max(step, 0), STEPS) // STEPS  # ten-thousandths of the arc
    x = (20 * (10_000 - t) ** 2 + 390 * t * (10_000 - t) + 370 * t**2) // 10**8
    y = (150 * (10_000 - t) ** 2 - 80 * t * (10_000 - t) + 150 * t**2) // 10**8
    lit = moon("#f4cf95", "moonrise-glow", x=x, y=y, radius=17, phase="full")
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 390 170" aria-hidden="true">{_SKY}{lit}{_LAND}</svg>'
