"""Entries of the tables of data as values of a type."""

from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from pellucid_scorer.errors import TableError

T = TypeVar("T")


def typed(form: type[T], entry: object, table: str) -> T:
    """Return an entry of a table as a value of a type.

    Raises:
        TableError: A field is missing, or its value breaks the table's rules.
    """
    try:
        return TypeAdapter(form).validate_python(entry)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        place = ".".join(map(str, wrong["loc"]))
        raise TableError(f"{table}: {place}: {wrong['msg']}") from None
