"""Between protobuf messages and domain values whose fields have the same names.

`write` takes each field of a message from the attribute of its name, `read` each field of a
dataclass from that of a message. What differs in name or meaning the caller gives by keyword.
Enums are matched by name without the prefix of the contract; UNSPECIFIED, a word that the contract
does not know and a number that this release does not know all leave the other side's default.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from enum import Enum
from functools import cache, partial
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_type_hints

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp

from pellucid_runtime.errors import InvalidArgumentError

M = TypeVar("M", bound=Message)
T = TypeVar("T")
E = TypeVar("E", bound=Enum)

_Convert = Callable[[Any], Any]


def write(kind: type[M], /, *values: object, **given: Any) -> M:
    """Return a message with the attributes of values.

    Args:
        kind: Class of the message.
        values: Have attributes of the names of its fields, not necessarily all; the first that has
            one counts. They are written in the same way; None leaves a field unset.
        given: Instead of attributes of these names.
    """
    parts: dict[str, Any] = {}
    for value in reversed(values):
        names = _shared(cast("Any", kind), cast("Any", type(value)))
        parts |= {name: getattr(value, name) for name in names}
    converts = _writers(kind.DESCRIPTOR)
    whole = {name: part for name, part in (parts | given).items() if part is not None}
    return kind(**{name: converts[name](part) for name, part in whole.items()})


def read(kind: type[T], message: Message, clean: Callable[[str], str] = str, /, **given: Any) -> T:
    """Return a dataclass with the fields of a message.

    Args:
        kind: The dataclass; a field without a like-named one in the message keeps its default.
        message: A field that it can lack and does, keeps the default as well.
        clean: Applied to every text.
        given: Instead of fields of these names.

    Raises:
        InvalidArgumentError: A time is outside the years 1 to 9999.
    """
    parts = {
        name: convert(getattr(message, name), clean)
        for name, convert in _readers(cast("Any", kind), message.DESCRIPTOR).items()
        if name not in given and _is_there(message, name)
    }
    return kind(**{name: part for name, part in parts.items() if part is not None} | given)


def member(kind: type[E], message: Message, field: str) -> E | None:
    """Return the member that an enum field names; None where it names none that is known."""
    enum = message.DESCRIPTOR.fields_by_name[field].enum_type
    return cast("E | None", _member(kind, enum, getattr(message, field)))


def instant(message: Message, field: str) -> datetime | None:
    """Return the aware time of a field, None where it is absent.

    Raises:
        InvalidArgumentError: It is outside the years 1 to 9999.
    """
    return _datetime(field, getattr(message, field)) if message.HasField(field) else None


@cache
def _shared(kind: Any, source: Any) -> tuple[str, ...]:
    own = {*dir(source), *getattr(source, "__dataclass_fields__", ())}
    return tuple(name for name in kind.DESCRIPTOR.fields_by_name if name in own)


@cache
def _writers(message: Descriptor) -> Mapping[str, _Convert]:
    return {field.name: _writer(field) for field in message.fields}


def _writer(field: FieldDescriptor) -> _Convert:
    convert = _part_writer(field)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return dict
    return (lambda parts: [convert(part) for part in parts]) if field.is_repeated else convert


def _part_writer(field: FieldDescriptor) -> _Convert:
    if field.enum_type is not None:
        return partial(_number, field.enum_type)
    if field.message_type is None or field.message_type is Timestamp.DESCRIPTOR:
        return lambda part: part
    kind = GetMessageClass(field.message_type)
    return lambda part: part if isinstance(part, Message | Mapping) else write(kind, part)


def _number(enum: EnumDescriptor, word: Enum | str | int) -> int:
    if isinstance(word, int):
        return word
    return _numbers(enum).get(word.name if isinstance(word, Enum) else word.upper(), 0)


@cache
def _numbers(enum: EnumDescriptor) -> Mapping[str, int]:
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {value.name.removeprefix(prefix): value.number for value in enum.values}


@cache
def _readers(kind: Any, message: Any) -> Mapping[str, Callable[[Any, Any], Any]]:
    hints = get_type_hints(kind)
    found = ((one.name, message.fields_by_name.get(one.name)) for one in fields(kind))
    return {name: _reader(field, hints[name]) for name, field in found if field is not None}


def _reader(field: FieldDescriptor, hint: Any) -> Callable[[Any, Any], Any]:
    kind = next((one for one in get_args(hint) if one not in (NoneType, ...)), hint)
    convert = _part_reader(field, kind)
    if field.is_repeated:
        return lambda parts, clean: tuple(convert(part, clean) for part in parts)
    return convert


def _part_reader(field: FieldDescriptor, kind: Any) -> Callable[[Any, Any], Any]:
    if field.enum_type is not None:
        enum = field.enum_type
        return lambda number, _clean: _member(kind, enum, number)
    if field.message_type is Timestamp.DESCRIPTOR:
        return lambda stamp, _clean: _datetime(field.name, stamp)
    if field.message_type is not None:
        return lambda part, clean: read(kind, part, clean)
    return lambda part, clean: clean(part) if isinstance(part, str) else part


def _member(kind: Any, enum: Any, number: int) -> Any:
    """Return a member of an enum, or the word in lower case where text is wanted."""
    name = _names(enum).get(number)
    if name is None:
        return None
    return name.lower() if kind is str else kind.__members__.get(name)


@cache
def _names(enum: Any) -> Mapping[int, str]:
    return {number: name for name, number in _numbers(enum).items() if number}


def _datetime(name: str, stamp: Timestamp) -> datetime:
    try:
        return stamp.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise InvalidArgumentError(name, "must be a time between the years 1 and 9999") from None


def _is_there(message: Message, name: str) -> bool:
    return not message.DESCRIPTOR.fields_by_name[name].has_presence or message.HasField(name)
