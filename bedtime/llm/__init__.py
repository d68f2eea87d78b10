"""One provider's HTTP: exactly one POST, what it brought, and which outcome it was."""

from bedtime.llm.another_shape import text_of_another_shape
from bedtime.llm.answer import Answer, read_answer, text_so_far
from bedtime.llm.models import knows, models
from bedtime.llm.request import Endpoint
from bedtime.llm.wire import post

__all__ = ["Answer", "Endpoint", "knows", "models", "post", "read_answer", "text_of_another_shape", "text_so_far"]
