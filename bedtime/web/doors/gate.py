"""The one gate that every request goes through, and what it says when it stays closed."""

from dataclasses import dataclass

from flask import Request, make_response, render_template, request, url_for
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.wrappers import Response

from bedtime import doorkeeper, household
from bedtime.errors import TooManyGuesses
from bedtime.web import access, fields
from bedtime.web.access import Role
from bedtime.web.answers import problem, see_other, trouble, wants_json
from bedtime.web.doors.origins import SAFE
from bedtime.web.doors.visitors import Visitor, entrance, let_in, recognise, the_visitor
from bedtime.web.house import House, the_house
from bedtime.web.htmx import elsewhere, is_fragment

PIN_FIELD = "household_pin"
PASSPHRASE_FIELD = "household_passphrase"
MULTIPART = "multipart/form-data"
OURS = frozenset({PIN_FIELD, PASSPHRASE_FIELD})
LONG_FORMS = {"safety.edit": 512 * 1024}  # bytes: a story is longer than anything else that is typed here
SETTING_UP = frozenset({"static", "setup.form", "setup.set_up"})


@dataclass(frozen=True, slots=True)
class Carried:
    """What waits for the PIN or the passphrase: where it goes and what it holds; whether it was a press.

    It goes on as it came: what came as `multipart/form-data` would be longer as the other kind. One with files can't wait.
    """

    action: str
    fields: tuple[tuple[str, str], ...] = ()
    pressed: bool = False
    multipart: bool = False
    files: bool = False


def check(asked: Request, house: House) -> Response | None:
    """Before each request: None lets it in."""
    endpoint = asked.endpoint
    if endpoint == "static":
        return None
    if endpoint in LONG_FORMS:
        asked.max_content_length = asked.max_form_memory_size = LONG_FORMS[endpoint]
    visitor = recognise(asked, house)
    if visitor.stranger and endpoint not in SETTING_UP:
        return look_at_the_computer()
    if endpoint is None or access.may_enter(visitor.role, endpoint):
        return None  # an address that is none gets its 404
    return _closed(visitor, access.least(endpoint))


def require_pin() -> Response | None:
    """For a view that needs the PIN only sometimes: None if it was given, else the answer that asks for it.

    The press that was stopped comes back with all that was typed, and with the PIN in a field of its own.
    """
    if the_visitor().pin:
        return None
    if request.is_json or wants_json():
        return problem(
            403, "pin", "The PIN is asked for first", "A grown-up gives it in the browser: it holds ten minutes."
        )
    if is_fragment() or _is_long():
        return see_other(url_for("signing.pin", next=_came_from()))
    if request.method in SAFE:
        return see_other(url_for("signing.pin", next=_here()))
    if PIN_FIELD in request.form:
        return try_pin(request.form[PIN_FIELD], carried())
    return pin_page(carried())


def try_pin(pin: str, waiting: Carried) -> Response | None:
    """None if it was the PIN: it holds from here on. Else the page that asks again, with what waits for it."""
    house, visitor, device = the_house(), the_visitor(), entrance()
    if visitor.device is None:
        return pin_page(waiting)
    try:
        right = doorkeeper.give_pin(
            house.database, pin, device_id=visitor.device.id, entrance=device, now=house.clock()
        )
    except TooManyGuesses as error:
        return pin_page(waiting, status=429, blocked=error.seconds)
    if not right:
        return pin_page(waiting, status=422, wrong=True)
    let_in(device.key, Role.WITH_PIN)
    return None


def pin_page(waiting: Carried, *, status: int = 403, wrong: bool = False, blocked: int = 0) -> Response:
    page = render_template("doors/pin.html", waiting=waiting, pin_field=PIN_FIELD, wrong=wrong, blocked=blocked)
    return _not_kept(make_response(page, status), blocked=blocked)


def sign_in_page(
    next_path: str, waiting: Carried | None = None, *, status: int = 200, wrong: bool = False, blocked: int = 0
) -> Response:
    """Asks for the passphrase; then a press that waits for it goes on, or else the page at `next_path` is shown."""
    field = PASSPHRASE_FIELD if waiting else "passphrase"
    page = render_template(
        "doors/sign_in.html", next=next_path, waiting=waiting, field=field, wrong=wrong, blocked=blocked
    )
    return _not_kept(make_response(page, status), blocked=blocked)


def look_at_the_computer() -> Response:
    """What everybody sees from the network while no grown-up exists."""
    if wants_json():
        return problem(403, "not-set-up", "Nobody may come in yet", "Look at the computer that Bedtime runs on.")
    if is_fragment():
        return elsewhere("/")
    return _not_kept(make_response(render_template("doors/computer.html"), 403))


def carried() -> Carried:
    """The form that was sent, to be sent once more."""
    held = tuple((name, value) for name, value in request.form.items(multi=True) if name not in OURS)
    return Carried(_here(), held, pressed=True, multipart=request.mimetype == MULTIPART, files=_has_files())


def _closed(visitor: Visitor, needed: Role | None) -> Response | None:
    if needed is None:
        return trouble(403, "no-door", "This page is open to nobody", "It stands in no list of who may see it.")
    if visitor.role is Role.GROWN_UP:
        return require_pin()
    if visitor.role is Role.SCRIPT or request.authorization is not None or request.is_json or wants_json():
        return _closed_to_programs(visitor)
    if visitor.role is Role.NOBODY and _was_typed():
        return _typed_at_the_door(needed)
    if is_fragment():
        return elsewhere(url_for("signing.sign_in", next=_came_from()))
    if visitor.role is Role.READER:
        page = render_template("doors/for_grown_ups.html", next=_here() if request.method in SAFE else None)
        return make_response(page, 403)
    return see_other(url_for("signing.sign_in", next=_here() if request.method in SAFE else _came_from()))


def _typed_at_the_door(needed: Role) -> Response | None:
    """The session has ended while somebody typed: the press waits for the passphrase, with all that it holds."""
    if is_fragment():
        return trouble(403, "sign-in", "Who is it?", "Sign in in another tab, then press again: nothing typed is lost.")
    if PASSPHRASE_FIELD not in request.form:
        return sign_in_page("", carried(), status=403)
    house, waiting, device = the_house(), carried(), entrance()
    try:
        right = doorkeeper.sign_in(house.database, request.form[PASSPHRASE_FIELD], device, now=house.clock())
    except TooManyGuesses as error:
        return sign_in_page("", waiting, status=429, blocked=error.seconds)
    if not right:
        return sign_in_page("", waiting, status=422, wrong=True)
    with house.database.reading() as db:
        let_in(device.key, Role.GROWN_UP, household.device_of(db, device.key, script=False, now=house.clock()))
    request.form = ImmutableMultiDict(waiting.fields)  # as it was typed, without the passphrase
    return None if needed <= Role.GROWN_UP else require_pin()


def _was_typed() -> bool:
    """A form with something in it and without files, short enough to be carried along."""
    a_form = request.mimetype in ("application/x-www-form-urlencoded", MULTIPART)
    return request.method not in SAFE and a_form and not _is_long() and bool(request.form) and not _has_files()


def _has_files() -> bool:
    return any(file.filename for file in request.files.values())


def _closed_to_programs(visitor: Visitor) -> Response:
    if visitor.role is not Role.NOBODY:
        return problem(403, "closed", "This is closed to you", "A grown-up can do this, in the browser.")
    answer = problem(
        401, "sign-in", "Who is it?", "Sign in, or send the token that a grown-up made: Authorization: Bearer …"
    )
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _not_kept(answer: Response, *, blocked: int = 0) -> Response:
    answer.headers["Cache-Control"] = "no-store"
    if blocked:
        answer.headers["Retry-After"] = str(blocked)
    return answer


def _is_long() -> bool:
    """An upload: it is not read before somebody may send it."""
    return (request.content_length or 0) > (request.max_form_memory_size or 0)


def _here() -> str:
    return request.full_path if request.query_string else request.path


def _came_from() -> str:
    """The page that the press or the fragment belongs to."""
    path = fields.path_in(request.headers.get("HX-Current-URL") or request.referrer or "")
    return fields.own_path(path) or url_for("tonight.index")
