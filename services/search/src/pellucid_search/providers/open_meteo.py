"""Open-Meteo, weather and forecast: first where a place is, then GET /v1/forecast.

A real-time source: it is asked for the place that a query names; the name and the place's rounded
coordinates are all that leaves. What is pure stands here; the calls are made by
`adapters/open_meteo_engine.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers import wire
from pellucid_search.providers.names import longest_name
from pellucid_search.query import ProviderQuery

PUBLIC = "https://api.open-meteo.com"
_CURRENT = "temperature_2m,apparent_temperature,relative_humidity_2m,weather_code,wind_speed_10m"
_DAILY = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max"
_DAYS = 7
# A tenth of a degree is some ten kilometres: enough for weather.
_PLACES = 1
# WMO code 4677 as Open-Meteo uses it: the first code of each kind of weather.
_WEATHER: tuple[tuple[int, str], ...] = (
    (99, "thunderstorm with hail"), (96, "thunderstorm with hail"), (95, "thunderstorm"),
    (85, "snow showers"), (80, "rain showers"), (77, "snow grains"), (71, "snow"),
    (66, "freezing rain"), (61, "rain"), (56, "freezing drizzle"), (51, "drizzle"), (45, "fog"),
    (3, "overcast"), (2, "partly cloudy"), (1, "mainly clear"), (0, "clear sky"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name is.

    Attributes:
        name: With its country.
        latitude: Degrees north, rounded.
        longitude: Degrees east, rounded.
    """

    name: str
    latitude: float
    longitude: float


def wording(query: ProviderQuery) -> str:
    """Return what leaves: the place by its capitals; empty when the query names none."""
    return longest_name(query.text)


def readings(name: str) -> tuple[str, ...]:
    """Return what the place may be called: a capital at the beginning may be no part of it.

    >>> readings("Weather Lisbon")
    ('Weather Lisbon', 'Lisbon')
    """
    rest = name.partition(" ")[2]
    return (name, rest) if rest else (name,)


def where(name: str, language: str, base_url: str) -> wire.HttpCall:
    """Return the request for the place of a name; the public service has a host for it."""
    host = base_url.replace("//api.", "//geocoding-api.", 1)
    params = (("name", name), ("count", "1"), ("language", language or "en"), ("format", "json"))
    return wire.HttpCall("GET", f"{host}/v1/search", params=params)


def place(reply: wire.HttpReply) -> Place | None:
    """Return the best known place of a name; None when there is none.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    for found in wire.items(wire.good_answer(reply).get("results"))[:1]:
        latitude, longitude = found.get("latitude"), found.get("longitude")
        if isinstance(latitude, int | float) and isinstance(longitude, int | float):
            parts = (wire.text(found.get("name")), wire.text(found.get("country")))
            name = ", ".join(filter(None, parts))
            return Place(name, round(latitude, _PLACES), round(longitude, _PLACES))
    return None


def forecast(at: Place, base_url: str) -> wire.HttpCall:
    """Return the request for the weather of a place."""
    params = (
        ("latitude", str(at.latitude)),
        ("longitude", str(at.longitude)),
        ("current", _CURRENT),
        ("daily", _DAILY),
        ("timezone", "auto"),
        ("forecast_days", str(_DAYS)),
    )
    return wire.HttpCall("GET", f"{base_url}/v1/forecast", params=params)


def weather(at: Place, reply: wire.HttpReply) -> ProviderReply:
    """Return the weather of a place as one result.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply)
    current, daily = wire.child(answer, "current"), wire.child(answer, "daily")
    if not wire.text(current.get("time")):
        return ProviderReply(())
    now = _now(current)
    when, zone = wire.text(current["time"]).replace("T", " "), wire.text(answer.get("timezone"))
    said = f"Weather in {at.name} by Open-Meteo as of {when} ({zone}): {now}."
    days = (day for n in range(_DAYS) if (day := _day(daily, n)))
    said = " ".join((said, *(f"Forecast for {day}." for day in days)))
    url = f"{PUBLIC}/v1/forecast?latitude={at.latitude}&longitude={at.longitude}"
    url += f"&current={_CURRENT}&daily={_DAILY}&timezone=auto"
    title = f"Weather in {at.name}: {now.partition(', feels')[0]}"
    hit = RawHit(url, title, said, age=_instant(answer, current), language="en", page_text=said)
    return ProviderReply((hit,))


def _now(current: Mapping[str, Any]) -> str:
    parts = (
        (current.get("temperature_2m"), "{} °C"),
        (_named(current.get("weather_code")), "{}"),
        (current.get("apparent_temperature"), "feels like {} °C"),
        (current.get("relative_humidity_2m"), "humidity {} %"),
        (current.get("wind_speed_10m"), "wind {} km/h"),
    )
    return ", ".join(form.format(value) for value, form in parts if _is_told(value))


def _day(daily: Mapping[str, Any], n: int) -> str:
    """Return one day in words; empty where something of it is missing."""

    def of(field: str) -> Any:
        values = daily.get(field)
        return values[n] if isinstance(values, list) and n < len(values) else None

    day, low, high = wire.text(of("time")), of("temperature_2m_min"), of("temperature_2m_max")
    if not (day and _is_told(low) and _is_told(high)):
        return ""
    rain = of("precipitation_probability_max")
    parts = [_named(of("weather_code")), f"{low} to {high} °C"]
    parts += [f"rain probability {rain} %"] if _is_told(rain) else []
    called = {0: "today, ", 1: "tomorrow, "}.get(n, "")
    return f"{called}{day}: {', '.join(filter(None, parts))}"


def _named(code: object) -> str:
    if not isinstance(code, int):
        return ""
    return next((name for first, name in _WEATHER if code >= first), "")


def _is_told(value: object) -> bool:
    return bool(value) if isinstance(value, str) else isinstance(value, int | float)


def _instant(answer: Mapping[str, Any], current: Mapping[str, Any]) -> str:
    """Return the time of the weather with its zone."""
    offset = answer.get("utc_offset_seconds")
    try:
        local = datetime.fromisoformat(wire.text(current.get("time")))
        shift = timedelta(seconds=offset if isinstance(offset, int) else 0)
        return local.replace(tzinfo=timezone(shift)).isoformat()
    except ValueError:
        return ""
