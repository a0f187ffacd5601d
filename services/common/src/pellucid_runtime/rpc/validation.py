"""Refuses requests that break the limits written in the protos.

Limits are field options (`pellucid.common.v1.limits`). Besides them every request is refused that
holds an enum number the contract does not define, a number that is not finite, or a timestamp
or duration outside the range that the protobuf specification gives it. Rules across fields
("weights sum to 1") belong to the services.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from pellucid.common.v1 import limits_pb2

from pellucid_runtime.errors import InvalidArgumentError

# UTF-8 never needs more bytes for a code point; saves encoding texts that are short anyway.
_MAX_UTF8_BYTES = 4
# Ranges of the well-known types, from the comments of timestamp.proto and duration.proto.
_TIMESTAMP_SECONDS = (-62_135_596_800, 253_402_300_799)
_DURATION_SECONDS = (-315_576_000_000, 315_576_000_000)
_MAX_NANOS = 999_999_999

# Raises InvalidArgumentError(path, limit) when the value at the path is not acceptable.
_Check = Callable[[Any, str], None]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to look at in messages of one type."""

    required: tuple[FieldDescriptor, ...]
    checks: Mapping[int, tuple[_Check, ...]]


class Validator:
    """Checks requests; derives what to look at from the descriptors once per message type."""

    def __init__(self) -> None:
        self._plans: dict[str, _Plan] = {}

    def validate(self, request: Message) -> None:
        """Look at the whole message.

        Raises:
            InvalidArgumentError: Names the path of the first field found wrong, and its limit.
        """
        self._check_message(request, "")

    def _check_message(self, message: Any, path: str) -> None:
        plan = self._plan(message.DESCRIPTOR)
        prefix = f"{path}." if path else ""
        for field in plan.required:
            if not _is_set(message, field):
                raise InvalidArgumentError(f"{prefix}{field.name}", "must be given")
        for field, value in message.ListFields():
            for check in plan.checks.get(field.number, ()):
                check(value, f"{prefix}{field.name}")

    def _plan(self, descriptor: Descriptor) -> _Plan:
        plan = self._plans.get(descriptor.full_name)
        if plan is None:
            plan = self._plans[descriptor.full_name] = _Plan(
                required=tuple(f for f in descriptor.fields if _limits(f).required),
                checks={f.number: tuple(self._checks_of(f)) for f in descriptor.fields},
            )
        return plan

    def _checks_of(self, field: FieldDescriptor) -> Iterator[_Check]:
        limits = _limits(field)
        if limits.max_items:
            yield _at_most_items(limits.max_items)
        if (entry := _map_entry(field)) is not None:
            yield from map(_each_value, self._value_checks(entry.fields_by_name["value"], limits))
        elif field.is_repeated:
            yield from map(_each_item, self._value_checks(field, limits))
        else:
            yield from self._value_checks(field, limits)

    def _value_checks(
        self, field: FieldDescriptor, limits: limits_pb2.FieldLimits
    ) -> Iterator[_Check]:
        """Checks of one value, or of one element of a repeated field."""
        if limits.max_bytes:
            yield _at_most_bytes(limits.max_bytes)
        if field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
            yield _finite
        if limits.HasField("min") or limits.HasField("max"):
            yield _in_range(limits)
        if field.enum_type is not None:
            yield _defined(field.enum_type)
        if field.message_type is not None:
            yield _WELL_KNOWN.get(field.message_type.full_name, self._check_message)


def _limits(field: FieldDescriptor) -> limits_pb2.FieldLimits:
    extension: Any = limits_pb2.limits  # the stubs of protobuf and mypy-protobuf disagree
    limits: limits_pb2.FieldLimits = field.GetOptions().Extensions[extension]
    return limits


def _map_entry(field: FieldDescriptor) -> Descriptor | None:
    entry = field.message_type
    return entry if entry is not None and entry.GetOptions().map_entry else None


def _is_set(message: Any, field: FieldDescriptor) -> bool:
    """The field has a value other than its type's zero; 0 counts where presence is tracked."""
    if field.has_presence and not field.is_repeated:
        return bool(message.HasField(field.name))
    return bool(getattr(message, field.name))


def _each_item(check: _Check) -> _Check:
    def check_items(values: Any, path: str) -> None:
        for index, value in enumerate(values):
            check(value, f"{path}[{index}]")

    return check_items


def _each_value(check: _Check) -> _Check:
    def check_values(values: Any, path: str) -> None:
        for key in values:
            check(values[key], f"{path}[{key!r:.64}]")

    return check_values


def _at_most_items(most: int) -> _Check:
    def check(values: Any, path: str) -> None:
        if len(values) > most:
            raise InvalidArgumentError(path, f"at most {most} items")

    return check


def _at_most_bytes(most: int) -> _Check:
    def check(value: Any, path: str) -> None:
        if len(value) * _MAX_UTF8_BYTES > most and _size(value) > most:
            raise InvalidArgumentError(path, f"at most {most} bytes")

    return check


def _size(value: str | bytes) -> int:
    return len(value.encode() if isinstance(value, str) else value)


def _finite(value: float, path: str) -> None:
    if not math.isfinite(value):
        raise InvalidArgumentError(path, "must be a finite number")


def _in_range(limits: limits_pb2.FieldLimits) -> _Check:
    low = limits.min if limits.HasField("min") else -math.inf
    high = limits.max if limits.HasField("max") else math.inf

    def check(value: float, path: str) -> None:
        if value < low:
            raise InvalidArgumentError(path, f"at least {low:g}")
        if value > high:
            raise InvalidArgumentError(path, f"at most {high:g}")

    return check


def _defined(enum: EnumDescriptor) -> _Check:
    known = frozenset(enum.values_by_number)

    def check(value: int, path: str) -> None:
        if value not in known:
            raise InvalidArgumentError(path, f"a value of {enum.full_name}")

    return check


def _check_timestamp(value: Timestamp, path: str) -> None:
    low, high = _TIMESTAMP_SECONDS
    if not (low <= value.seconds <= high and 0 <= value.nanos <= _MAX_NANOS):
        raise InvalidArgumentError(path, "a time from year 1 to year 9999")


def _check_duration(value: Duration, path: str) -> None:
    low, high = _DURATION_SECONDS
    opposite = value.seconds * value.nanos < 0
    if not low <= value.seconds <= high or abs(value.nanos) > _MAX_NANOS or opposite:
        raise InvalidArgumentError(path, "a duration of at most 10,000 years")


_WELL_KNOWN: Mapping[str, _Check] = {
    Timestamp.DESCRIPTOR.full_name: _check_timestamp,
    Duration.DESCRIPTOR.full_name: _check_duration,
}
