"""Money: a month with a picture and every call; the cap; settling what nobody knows; a file for a spreadsheet."""

from flask import Blueprint, Response, make_response, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from bedtime import accounts, household, ledger
from bedtime.web import accounting, choosing, fields
from bedtime.web.answers import see_other, trouble
from bedtime.web.house import the_house

bp = Blueprint("money", __name__)

MOST_CALLS = 25


@bp.get("/money")
def index() -> Response:
    """`month` is YYYY-MM; `before` is the id of the call from which the list goes on."""
    return _page()


@bp.post("/money/cap")
def cap() -> AnyResponse:
    """A new cap for this month and the next ones; it holds from the next call on."""
    house = the_house()
    typed = request.form.get("cap", "")
    micros, wrong = choosing.read_money(typed)
    if micros is None:
        return _page(cap=typed, wrong=wrong, status=422)
    accounts.choose(house.database, {household.MONTHLY_CAP: str(micros)}, now=house.clock())
    return see_other(url_for("money.index"))


@bp.get("/money/calls/<int:call_id>")
def call(call_id: int) -> Response:
    return _call_page(call_id)


@bp.post("/money/calls/<int:call_id>/settle")
def settle(call_id: int) -> AnyResponse:
    """What the provider's bill says about a call whose outcome nobody knows."""
    house = the_house()
    typed = request.form.get("spent", "")
    micros, wrong = choosing.read_money(typed)
    if micros is None:
        return _call_page(call_id, spent=typed, wrong=wrong, status=422)
    call_id = min(call_id, fields.BIGGEST)
    if not accounts.settle_by_bill(house.database, call_id, spent_micros=micros, now=house.clock()):
        sentence = "Its answer came after all, or it was never there: look at the list of calls."
        return trouble(409, "not-unknown", "There is nothing to settle", sentence)
    return see_other(url_for("money.call", call_id=call_id))


@bp.get("/money/calls.csv")
def export() -> Response:
    """All calls, or those of `month`."""
    house = the_house()
    month = request.args.get("month", "")
    period = month if accounting.is_month(month) else None
    with house.database.reading() as db:
        zone = house.zone_now(db)
        text = accounting.as_csv(db, period=period, zone=zone, currency=house.settings.currency)
    answer = Response(text, mimetype="text/csv")
    answer.headers["Content-Disposition"] = f'attachment; filename="bedtime-calls-{period or "all"}.csv"'
    return answer


def _page(*, cap: str | None = None, wrong: str = "", status: int = 200) -> Response:
    house = the_house()
    now, wanted = house.clock(), request.args.get("month", "")
    with house.database.reading() as db:
        now_in = house.estimate.period_now(db, now=now)
        period = wanted if accounting.is_month(wanted) else now_in
        lines = ledger.calls_before(
            db, period=period, before=fields.whole(request.args.get("before")), most=MOST_CALLS + 1
        )
        context = {
            "month": accounting.month_of(db, period, now_in=now_in, zone=house.zone_now(db)),
            "calls": accounting.rows(db, lines[:MOST_CALLS]),
            "cap_micros": house.estimate.cap_now(db),
            "price": house.estimate.cost(db, now=now),
            "sends_names": house.sends_names(db),
        }
    page = render_template(
        "money/index.html",
        is_now=period == now_in,
        older=lines[MOST_CALLS - 1].id if len(lines) > MOST_CALLS else None,
        cap=cap,
        wrong=wrong,
        storyteller=house.storyteller,
        currency=house.settings.currency,
        **context,
    )
    return make_response(page, status)


def _call_page(call_id: int, *, spent: str = "", wrong: str = "", status: int = 200) -> Response:
    house = the_house()
    with house.database.reading() as db:
        found = accounting.call_page(db, min(call_id, fields.BIGGEST), now=house.clock())
    if found is None:
        return trouble(404, "no-call", "There is no such call", "The list of calls under Money has every one.")
    page = render_template("money/call.html", page=found, spent=spent, wrong=wrong, currency=house.settings.currency)
    return make_response(page, status)
