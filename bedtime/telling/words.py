"""What the family reads about a job, in a sentence or two: for scripts and for the command line, as the pages say it."""

from bedtime.telling.progress import JobView

_ENDED = {
    "completed": "It is on the shelf.",
    "cancelled": "It was called off before anything was paid for.",
    "refused": "The storyteller would not tell this one. Wish again in other words.",
    "unreadable": "An answer came, and there was no story in it. The raw answer is kept.",
    "maybe_billed": "The answer was lost on the way and may have been billed. Asking again may cost a second time.",
    "over_budget": "It could have gone over this month's limit, so nothing was sent and nothing was spent.",
    "gave_up": "It was tried several times without a proper answer, and nothing was billed. Ask again later.",
    "expired": "It waited too long and was not bought. Ask again if it is still wanted.",
    "restored": "It came back with a backup: nobody can know whether it was told before. Look on the shelf first.",
}
_WAITS = {
    "not_reached": "The storyteller can't be reached. We try again by ourselves.",
    "limited": "The storyteller asks us to wait. We try again by ourselves.",
    "rule_changed": "What is sent was changed a moment ago, so it is prepared anew.",
    "disk_full": "The disk is full: free some space. We try again by ourselves.",
}
_PAUSED = {
    "key": "The storyteller does not accept our key. Put a good one into BEDTIME_LLM_KEY or instance/llm_key, start again",
    "key_host": "The address of the storyteller is another now, and the key was used with the old one: it is not sent to the "
    "new one by itself. Put the new one's key into BEDTIME_LLM_KEY or instance/llm_key and start again, or say under Settings "
    "that this key is for the new address too",
    "money": "The storyteller says that our account there is empty. Top it up",
    "model": "The storyteller does not know the model or the address. Check BEDTIME_LLM_URL and BEDTIME_LLM_MODEL, start again",
    "price": "Nobody here knows what this storyteller costs. Set BEDTIME_PRICE_IN and BEDTIME_PRICE_OUT, start again",
    "storyteller": "No storyteller is set. Set BEDTIME_LLM_URL and BEDTIME_LLM_MODEL, start again",
    "quota": "The storyteller says that our allowance there is used up. Raise it, or wait for its next month",
    "unknown_twice": "Two answers in a row were lost on the way, and both may have been billed. Look at the provider's bill",
    "hand": "A grown-up has paused the storyteller. Wait for them",
}


def message(view: JobView) -> str:
    """How it is with a job, and what to do where something has to be done."""
    job = view.job
    if job.status == "pending":
        return _waiting(view)
    if job.status == "running":
        return f"It is being told: {view.words} of about {view.expected_words} words." if view.words else _THINKING
    return _ENDED.get((job.error_code or "gave_up") if job.status == "failed" else job.status, _ENDED["gave_up"])


def why_paused(reason: str) -> str:
    """Why a queue tells nothing, and what a grown-up does about it."""
    return f"{_PAUSED.get(reason, 'The storyteller is paused. Mend what is wrong')}, then resume."


_THINKING = "The storyteller is thinking."


def _waiting(view: JobView) -> str:
    if view.paused:
        return f"It waits, and is not lost. {why_paused(view.paused[0])}"
    if view.job.error_code:
        return _WAITS.get(view.job.error_code, "It did not work just now. We try again by ourselves.")
    return f"It is number {view.place} in the queue." if view.place > 1 else "It is next in the queue."
