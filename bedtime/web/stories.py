"""Asking for a story, by form or by script."""

from flask import Blueprint, jsonify, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from bedtime import asking, telling
from bedtime.errors import KeyReused, Namesakes, NotFound, OverDailyCap, QueueFull
from bedtime.model import Wish
from bedtime.telling import progress
from bedtime.web import fields, forms
from bedtime.web.answers import problem, see_other, trouble, wants_json
from bedtime.web.doors import the_visitor
from bedtime.web.house import House, the_house
from bedtime.web.tonight import wish_page

bp = Blueprint("stories", __name__)

RETRY_SECONDS = "60"


@bp.post("/stories/generate")
def generate() -> AnyResponse:
    """Ask for a story: 202 with the job for a script, 303 to its page for a form."""
    raw = forms.raw_fields(request)
    key = fields.idempotency_key(request.headers.get("Idempotency-Key"), raw.get("idempotency_key"))
    if key is None:
        return trouble(400, "idempotency-key", "No key came with this wish", _NO_KEY)
    wish, form = forms.read(raw)
    if wish is None:
        return _wrong(form)
    try:
        return _ask(wish, key)
    except KeyReused as error:
        return _key_reused(form, error.job_id)
    except QueueFull:
        return _full(form)
    except OverDailyCap:
        return trouble(
            429, "daily-cap", "This script has asked enough today", _DAILY_CAP, headers={"Retry-After": "3600"}
        )
    except NotFound as error:
        form.errors["children" if wish.continues is None else "form"] = f"{str(error).capitalize()} any more."
        return _wrong(form)
    except Namesakes:
        form.errors["children"] = forms.NAMESAKES
        return _wrong(form)


@bp.post("/stories/preview")
def preview() -> AnyResponse:
    """Exactly what would be sent for what the form says, with all of it kept; nothing is asked, sent or written."""
    house = the_house()
    wish, form = forms.read(forms.raw_fields(request))
    if wish is None:
        return _wrong(form)
    try:
        with house.database.reading() as db:
            plan = telling.preview(
                db,
                wish,
                max_tokens=house.settings.llm_max_tokens,
                send_names=house.sends_names(db),
                now=house.clock(),
            )
    except NotFound as error:
        form.errors["children"] = f"{str(error).capitalize()} any more."
        return _wrong(form)
    return wish_page(form, sent=plan.prompt if house.storyteller == "llm" else None)


_NO_KEY = (
    "Send an Idempotency-Key of 1 to 255 visible ASCII characters, in the header or in the form's own field, "
    "and the same in both. A new key for each wish; the same key again only for the same wish. "
    "In a browser: open Tonight afresh and press once more."
)


_DAILY_CAP = (
    "This wish could cost more than a grown-up allowed the script within a day. "
    "The key is not used up: send it again later."
)


def _ask(wish: Wish, key: str) -> AnyResponse:
    house = the_house()
    now = house.clock()
    asked = asking.ask(house.database, wish, key=key, rules=house.rules, now=now, asker=_asker(house, now=now))
    status_url = url_for("stories.job", job_id=asked.job_id)
    if not wants_json():
        answer = see_other(status_url)
    else:
        with house.database.reading() as db:
            view = progress(db, asked.job_id)
        status = view.job.status if view else "pending"
        answer = jsonify({"job_id": asked.job_id, "status": status, "status_url": status_url})
        answer.status_code = 202
        answer.headers["Location"] = status_url
    if asked.replayed:
        answer.headers["Idempotent-Replayed"] = "true"
    answer.call_on_close(lambda: house.observe("enqueue.after_answer"))
    return answer


def _asker(house: House, *, now: float) -> asking.Asker | None:
    """None at the computer itself, where nobody signs in."""
    device = the_visitor().device
    if device is None:
        return None
    with house.database.reading() as db:
        cost = house.estimate.cost(db, now=now)
    return asking.Asker(device.id, device.daily_cap_micros, cost.at_most if cost else 0)


def _wrong(form: forms.WishForm) -> AnyResponse:
    if wants_json():
        return problem(
            422, "fields", "Some fields are not right", "Mend them and send the same key again.", errors=form.errors
        )
    return wish_page(form, status=422)


def _key_reused(form: forms.WishForm, job_id: int) -> AnyResponse:
    if wants_json():
        detail = f"This key belongs to job {job_id}, whose fields were others. Send a new key for a new wish."
        return problem(422, "key-reused", "The key was used for another wish", detail, job_id=job_id)
    return wish_page(form, status=422, first_story=job_id)


def _full(form: forms.WishForm) -> AnyResponse:
    house = the_house()
    most = house.rules.queue_max
    if wants_json():
        detail = f"{most} wishes wait already. Send the same key again later: it is not used up."
        answer = problem(429, "queue-full", "No more wishes fit in now", detail)
    else:
        answer = wish_page(form, status=429, full=most)
    answer.headers["Retry-After"] = RETRY_SECONDS
    return answer
