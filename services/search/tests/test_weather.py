"""Open-Meteo: the place by its name, its weather with value, change over the days and time."""

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from pellucid_search.errors import BadRequestError, RateError
from pellucid_search.providers import open_meteo
from pellucid_search.providers.open_meteo import Place
from pellucid_search.providers.wire import HttpReply

pytestmark = pytest.mark.usefixtures("loaded_languages")

NOW = datetime(2026, 11, 27, 9, tzinfo=UTC)
LISBON = {
    "id": 2267057, "name": "Lisbon", "latitude": 38.71667, "longitude": -9.13333,
    "country_code": "PT", "country": "Portugal", "timezone": "Europe/Lisbon",
}  # fmt: skip
# As the documentation shows an answer, in numbers of our own; two of the seven days.
WEATHER = {
    "latitude": 38.7, "longitude": -9.1, "utc_offset_seconds": 3600, "timezone": "Europe/Lisbon",
    "current_units": {"time": "iso8601", "temperature_2m": "°C"},
    "current": {
        "time": "2026-11-27T09:15", "interval": 900, "temperature_2m": 14.2,
        "apparent_temperature": 13.1, "relative_humidity_2m": 81, "weather_code": 61,
        "wind_speed_10m": 12.6,
    },
    "daily": {
        "time": ["2026-11-27", "2026-11-28"], "weather_code": [63, 2],
        "temperature_2m_max": [16.4, 18.0], "temperature_2m_min": [11.2, 10.0],
        "precipitation_probability_max": [85, 5],
    },
}  # fmt: skip
SAID = (
    "Weather in Lisbon, Portugal by Open-Meteo as of 2026-11-27 09:15 (Europe/Lisbon): 14.2 °C, "
    "rain, feels like 13.1 °C, humidity 81 %, wind 12.6 km/h. Forecast for today, 2026-11-27: "
    "rain, 11.2 to 16.4 °C, rain probability 85 %. Forecast for tomorrow, 2026-11-28: partly "
    "cloudy, 10.0 to 18.0 °C, rain probability 5 %."
)


def faithful(answer: Any) -> Any:
    """Return what answers like Open-Meteo: places by name, weather by coordinates."""

    def respond(request: Any) -> Any:
        target = urlsplit(request.target)
        fields = dict(parse_qsl(target.query))
        if target.path == "/v1/search" and fields["format"] == "json":
            found = {"results": [LISBON]} if fields["name"] in {"Lisbon", "Lisboa"} else {}
            return answer(found | {"generationtime_ms": 0.5})
        known = {"latitude", "longitude", "current", "daily", "timezone", "forecast_days"}
        if target.path == "/v1/forecast" and set(fields) == known:
            return answer(WEATHER)
        return answer({"error": True, "reason": "Parameter is missing"}, 400)

    return respond


@pytest.fixture
async def service(start_service: Any, serve_provider: Any, answer: Any) -> Any:
    fake = await serve_provider(faithful(answer))
    page = {"title": "Weather", "url": "https://paper.example/weather", "content": "Rain"}
    web = await serve_provider(lambda _: answer({"results": [page]}))
    client = await start_service(
        search_providers="searxng",
        searxng_url=web.url,
        search_real_time="open_meteo",
        open_meteo_base_url=fake.url,
    )
    return client, fake


async def test_the_weather_of_the_place_that_is_named(service: Any, ask: Any) -> None:
    client, fake = service

    found = await client.Search(
        ask("weather Lisbon tomorrow for jane@mail.example", topic="weather", now=NOW)
    )

    (hit,) = [hit for hit in found.hits if hit.domain == "open-meteo.com"]
    assert hit.title == "Weather in Lisbon, Portugal: 14.2 °C, rain"
    assert hit.snippet == SAID
    assert hit.published.time.ToDatetime(UTC) == datetime(2026, 11, 27, 8, 15, tzinfo=UTC)
    assert [out.text for out in found.outbound if out.to == "open_meteo"] == ["Lisbon"]
    asked = [dict(parse_qsl(urlsplit(request.target).query)) for request in fake.requests]
    assert asked[0]["name"] == "Lisbon"
    assert (asked[1]["latitude"], asked[1]["longitude"]) == ("38.7", "-9.1")
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("text", "topic", "requests"),
    [
        ("Weather Lisbon", "weather", 3),
        ("weather Atlantis", "weather", 1),
        ("weather tomorrow", "weather", 0),
        ("traffic Lisbon", "traffic", 0),
    ],
)
async def test_what_is_asked(service: Any, ask: Any, text: str, topic: str, requests: int) -> None:
    client, fake = service

    found = await client.Search(ask(text, topic=topic, now=NOW))

    told = any(hit.domain == "open-meteo.com" for hit in found.hits)
    assert len(fake.requests) == requests
    assert told == (text == "Weather Lisbon")


def test_the_public_service_finds_places_on_a_host_of_its_own() -> None:
    at = Place("Lisbon", 38.7, -9.1)

    assert open_meteo.where("Lisbon", "", open_meteo.PUBLIC).url == (
        "https://geocoding-api.open-meteo.com/v1/search"
    )
    assert open_meteo.forecast(at, open_meteo.PUBLIC).url == (
        "https://api.open-meteo.com/v1/forecast"
    )


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (400, {"error": True, "reason": "Latitude must be in range"}, BadRequestError),
        (429, {"error": True, "reason": "Minutely API request limit exceeded."}, RateError),
    ],
)
def test_refusals_are_typed(status: int, body: Any, error: type[Exception]) -> None:
    reply = HttpReply(status, {}, json.dumps(body).encode())

    with pytest.raises(error):
        open_meteo.place(reply)
    with pytest.raises(error):
        open_meteo.weather(Place("x", 0, 0), reply)


@pytest.mark.parametrize(
    "body",
    [{}, {"current": 3}, {"current": {"time": 9}}, {"results": [{"latitude": "x"}]}],
)
def test_an_odd_answer_is_no_result(body: Any) -> None:
    reply = HttpReply(200, {}, json.dumps(body).encode())

    assert open_meteo.place(reply) is None
    assert open_meteo.weather(Place("x", 0, 0), reply).hits == ()
