"""Files within messages, in the chat completions form: attachments of the turn.

They are read here and never passed on: many model servers refuse a request that has one. In their
place the model finds a mark with the name, and what they say among the sources.
"""

from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pellucid_gateway.api.compatible.wire import Json, objects, part_of, refused, simplest, text_of
from pellucid_gateway.api.http.problems import FieldError, Problem, ProblemError, invalid, too_large
from pellucid_gateway.domain.attachment import MOST_ATTACHMENTS, MOST_BYTES, Attachment
from pellucid_language.text import clean

_Message = Mapping[str, Any]
# Some clients send titles as long as sentences.
_NAME_CHARS = 80


def file_part(name: Any, content: bytes, field: str) -> Json:
    """A file as a part of a message.

    Args:
        name: As the client calls it; absent where it has none.
        content: Of the file.
        field: Where the client wrote it.
    """
    named = clean(text_of(name)).strip()[:_NAME_CHARS] or "document"
    return {"type": "file", "file": Attachment(named, content), "field": field}


def read_file(file: Mapping[str, Any], field: str) -> Json:
    """A file in the form that OpenAI's APIs share, as a part of a message.

    Raises:
        ProblemError: It is named by an id, or not in base64.
    """
    if (named := text_of(file.get("file_id"))) and not file.get("file_data"):
        told = f"absent: {clean(named)[:_NAME_CHARS]!r} is not kept here, send the file itself"
        raise refused(f"{field}.file_id", told)
    where = f"{field}.file_data"
    return file_part(file.get("filename"), decoded(file.get("file_data"), where), where)


def decoded(data: Any, field: str) -> bytes:
    """Bytes of a text in base64, or of a data URL with one.

    Raises:
        ProblemError: It is neither.
    """
    try:
        content = b64decode(text_of(data).rpartition(",")[2], validate=True)
    except ValueError:
        content = b""
    if not content:
        raise refused(field, "base64 of a file")
    return content


def with_files_read(messages: Sequence[_Message]) -> list[_Message]:
    """The messages with those files read that still stand there as an OpenAI client wrote them.

    Raises:
        ProblemError: One of them cannot be.
    """

    def read(part: Mapping[str, Any], field: str) -> Json:
        is_read = isinstance(part.get("file"), Attachment)
        return dict(part) if is_read else read_file(part_of(part, "file"), f"{field}.file")

    return list(_replaced(messages, read))


def marked(messages: Sequence[_Message], mark: Callable[[Attachment], str]) -> list[_Message]:
    """The messages with a text in place of each file."""
    return [
        {**message, "content": simplest(message["content"])} if message is not before else before
        for before, message in zip(
            messages,
            _replaced(messages, lambda part, _: {"type": "text", "text": mark(part["file"])}),
            strict=True,
        )
    ]


def files_in(messages: Sequence[_Message]) -> list[Attachment]:
    """All files of the messages."""
    parts = (part for message in messages for part in _parts(message))
    return [part["file"] for part in parts if _is_file(part)]


def attached(messages: Sequence[_Message]) -> tuple[Attachment, ...]:
    """Files of the turn, those of the latest message first.

    Clients send all of a conversation again: where all are too much, earlier ones are left out,
    and a question about one is told so like one about a file that did not come along.

    Raises:
        ProblemError: Those of one message alone are too much.
    """
    taken: dict[str, Attachment] = {}
    for message in reversed(messages):
        is_latest = not taken
        for part in filter(_is_file, _parts(message)):
            wider = taken | {part["file"].url: part["file"]}
            too_much = _too_much(wider.values(), part["field"])
            if too_much and is_latest:
                raise ProblemError(too_much)
            taken = taken if too_much else wider
    return tuple(taken.values())


def _too_much(files: Iterable[Attachment], field: str) -> Problem | None:
    sizes = [len(file.content) for file in files]
    if len(sizes) > MOST_ATTACHMENTS:
        words = f"one of at most {MOST_ATTACHMENTS} files"
        return invalid([FieldError(field, words, f"must be {words}")])
    if sum(sizes) > MOST_BYTES:
        words = f"at most {MOST_BYTES // 2**20} MiB together"
        return too_large([FieldError(field, words, f"must be {words}")])
    return None


def _replaced(
    messages: Sequence[_Message], replace: Callable[[Mapping[str, Any], str], Json]
) -> Iterator[_Message]:
    """The messages with each file replaced; those without one are the same objects."""
    for place, message in enumerate(messages):
        if not any(map(_is_file, _parts(message))):
            yield message
            continue
        field = f"messages[{place}].content"
        parts = objects(message["content"], field)
        content = [replace(part, path) if _is_file(part) else part for path, part in parts]
        yield {**message, "content": content}


def _parts(message: _Message) -> Sequence[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else ()


def _is_file(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "file"
