"""The grown-ups' own page: the way to everything that they look after."""

from flask import Blueprint, current_app, render_template

bp = Blueprint("grownups", __name__)

PLACES = (
    ("safety.index", "Stories to approve", "What waits for a look before a child’s device shows it."),
    ("money.index", "Money", "This month, every call, and the limit."),
    ("queue.index", "The queue", "What waits, what is being told, what came to nothing."),
    ("evenings.index", "Evenings", "A story every evening, and notes that end by themselves."),
    ("children.index", "Children", "Who the stories are for."),
    ("devices.index", "Devices", "Who may come in: pair a tablet, sign one out."),
    ("settings.index", "Settings", "What the family chooses."),
    ("keeping.index", "Backup", "Copies, export, and leaving."),
)


@bp.get("/grown-ups")
def index() -> str:
    there = [place for place in PLACES if place[0] in current_app.view_functions]
    return render_template("grownups/index.html", places=there)
