"""What requests of compatible APIs have in common."""

from typing import Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from pellucid_gateway.domain.attachment import ATTACHED_BODY_BYTES
from pellucid_gateway.domain.request import SearchCommand, SearchOptions

# What other products send is longer than a native request: whole histories, images.
COMPATIBLE_BODY_BYTES = 20 * 1024 * 1024
# The same with files.
CHAT_BODY_BYTES = COMPATIBLE_BODY_BYTES + ATTACHED_BODY_BYTES
# Days of the words that search APIs use for windows.
WINDOW_DAYS = {"day": 1, "d": 1, "week": 7, "w": 7, "month": 31, "m": 31, "year": 365, "y": 365}


def as_given(query: str, caller: str, options: SearchOptions, **more: Any) -> SearchCommand:
    """A search for the query as it is, without a threshold; `more` are further fields of it."""
    return SearchCommand(
        query=query, caller=caller, options=options, ranked=False, verbatim=True, **more
    )


class Lenient(BaseModel):
    """Base of requests that others designed: unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


# A field that APIs take as one text or as a list of texts.
one_or_several = BeforeValidator(_as_list)
