"""A time of day inside a date text: "8.30 pm", "at noon", "오후 3시 20분", "晚8点"."""

import re
from dataclasses import dataclass
from datetime import datetime

_AFTERNOON = 12
_HOURS, _MINUTES = 24, 60
_LATE = r"pm|p\.m\.?|오후|저녁|밤|下午|晚上|晚|午後|夜|ip"
_EARLY = r"am|a\.m\.?|오전|아침|새벽|早上|上午|凌晨|清晨|晨|午前|朝"
_LEAD = r"(?:(?<![a-z])(?:at|around|@|en|a las|à|um|em)\s+)?"
_WESTERN = re.compile(
    rf"{_LEAD}(?<!\d)(?P<h>\d{{1,2}})(?:\s*[:.h]\s*(?P<m>\d{{2}})(?::(?P<s>\d{{2}})(?:[.,]\d+)?)?)?"
    rf"\s*(?P<half>{_LATE}|{_EARLY})(?![a-z])\.?",
)
_EASTERN = re.compile(
    rf"(?P<half>{_LATE}|{_EARLY}|中午|정오)?\s*(?P<h>\d{{1,2}})\s*(?:시|点|點|时|時|:(?=\d))"
    r"\s*(?:(?P<m>\d{1,2}|半|반)\s*(?:분|分)?)?\s*(?::?(?P<s>\d{1,2})\s*(?:초|秒)?)?"
)
_PLAIN = re.compile(
    rf"{_LEAD}(?<![\d.:/-])(?P<h>\d{{1,2}})\s*[:h]\s*(?P<m>\d{{2}})(?::(?P<s>\d{{2}})(?:[.,]\d+)?)?(?P<half>)"
)
_WORDS = (
    (re.compile(rf"{_LEAD}\b(?:noon|midday|mediodía|midi|mittags?|u podne)\b|정오|正午"), 12),
    (re.compile(rf"{_LEAD}\b(?:midnight|medianoche|minuit|mitternacht|u ponoć)\b|자정|午夜"), 0),
)
_END_OF_DAY = re.compile(r"(?:the )?(?:end of (?:the )?(?:day|today)|eod)")
_TONIGHT = re.compile(
    r"(?P<a>(?:tonight|this night|last night))\s*,?\s*(?:at |around )?(?P<h>\d{1,2})$"
    r"|^(?P<h2>\d{1,2})\s*,?\s*(?P<b>tonight|this evening|this night|last night)$"
)
_MORNING = re.compile(
    r"this morning\s*,?\s*(?:at |around )?(?P<h>\d{1,2})$|^(?P<h2>\d{1,2})\s*,?\s*this morning$"
)


@dataclass(frozen=True, slots=True)
class ClockTime:
    """Hour 0 to 23, minute and second 0 to 59."""

    hour: int
    minute: int = 0
    second: int = 0

    def on(self, day: datetime) -> datetime:
        """Return this time on a day."""
        return day.replace(hour=self.hour, minute=self.minute, second=self.second, microsecond=0)


def split_clock(text: str) -> tuple[str, ClockTime | None]:
    """Return a text in lower case without its time of day, and the time; None without one."""
    if _END_OF_DAY.fullmatch(text):
        return "today", ClockTime(_HOURS - 1, _MINUTES - 1, _MINUTES - 1)
    for pattern, hour in _WORDS:
        rest, count = pattern.subn(" ", text, count=1)
        if count:
            return rest.strip(" ,"), ClockTime(hour)
    spoken = _part_of_day(text)
    if spoken:
        return spoken
    for pattern in (_WESTERN, _EASTERN, _PLAIN):
        match = pattern.search(text)
        time = _time(match) if match else None
        if match and time:
            return f"{text[: match.start()]} {text[match.end() :]}".strip(" ,.·-|"), time
    return text, None


def _part_of_day(text: str) -> tuple[str, ClockTime] | None:
    night, morning = _TONIGHT.search(text), _MORNING.search(text)
    match = night or morning
    if not match:
        return None
    hour = int(match["h"] or match["h2"])
    if hour >= _HOURS:
        return None
    later = night is not None and hour < _AFTERNOON
    day = "yesterday" if "last" in text else "today"
    return day, ClockTime(hour + _AFTERNOON if later else hour)


def _time(match: re.Match[str]) -> ClockTime | None:
    hour, half = int(match["h"]), (match["half"] or "").replace(".", "")
    if (
        half
        and re.fullmatch(_LATE.replace(r"\.?", "").replace(r"\.", ""), half)
        and hour < _AFTERNOON
    ):
        hour += _AFTERNOON
    if half == "am" and hour == _AFTERNOON:
        hour = 0
    minute = 30 if match["m"] in {"半", "반"} else int(match["m"] or 0)
    second = int(match["s"] or 0)
    is_time = hour < _HOURS and minute < _MINUTES and second < _MINUTES
    return ClockTime(hour, minute, second) if is_time else None
