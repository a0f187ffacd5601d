"""Names of queries are linked to Wikidata where the operator wants it, and nothing else leaves."""

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from pellucid.search.v1 import search_pb2 as pb

from pellucid_search.errors import BadRequestError, RateError
from pellucid_search.providers import wikidata
from pellucid_search.providers.wire import HttpReply
from pellucid_search.query import ProviderQuery

pytestmark = pytest.mark.usefixtures("loaded_languages")

NOW = datetime(2026, 11, 27, 9, tzinfo=UTC)
# As the API documents an answer, in words of our own.
FOUND = {
    "searchinfo": {"search": "Skerry Bridge"},
    "search": [
        {
            "id": "Q4242", "title": "Q4242", "repository": "wikidata", "label": "Skerry Bridge",
            "url": "//www.wikidata.org/wiki/Q4242", "description": "road bridge &amp; landmark",
            "concepturi": "http://www.wikidata.org/entity/Q4242",
            "match": {"type": "label", "language": "en", "text": "Skerry Bridge"},
        }
    ],
    "success": 1,
}  # fmt: skip
DEMANDED = {"action", "search", "language", "uselang", "type", "limit", "format"}


def faithful(answer: Any) -> Any:
    """Return what answers like Wikidata: it wants to know who asks, and which action."""

    def respond(request: Any) -> Any:
        target = urlsplit(request.target)
        fields = dict(parse_qsl(target.query))
        if target.path != "/w/api.php" or "Pellucid" not in request.headers["user-agent"]:
            return answer("<html>Please set a user agent</html>", 403)
        if fields["action"] != "wbsearchentities" or set(fields) != DEMANDED:
            return answer({"error": {"code": "missingparam", "info": "…"}})
        return answer(FOUND if fields["search"] == "Skerry Bridge" else {"search": []})

    return respond


@pytest.fixture
async def fakes(serve_provider: Any, answer: Any) -> dict[str, Any]:
    page = {"title": "Toll", "url": "https://town.example/toll", "content": "The toll"}
    return {
        "searxng": await serve_provider(lambda _: answer({"results": [page]})),
        "wikidata": await serve_provider(faithful(answer)),
    }


def settings_of(fakes: dict[str, Any]) -> dict[str, Any]:
    return {
        "search_providers": "searxng",
        "searxng_url": fakes["searxng"].url,
        "wikidata_base_url": fakes["wikidata"].url,
    }


async def test_a_name_is_linked_and_alone_leaves(
    start_service: Any, fakes: dict[str, Any], ask: Any
) -> None:
    client = await start_service(search_entities=True, **settings_of(fakes))

    found = await client.Search(ask("toll Skerry Bridge jane@mail.example", "unnamed toll"))
    again = await client.Search(ask("toll Skerry Bridge jane@mail.example"))

    assert [(e.name, e.id, e.label, e.description) for e in found.entities] == [
        ("Skerry Bridge", "Q4242", "Skerry Bridge", "road bridge & landmark")
    ]
    assert [hit.url for hit in found.hits] == ["https://town.example/toll"]
    assert [report.name for report in found.providers] == ["searxng"]
    assert [out.text for out in found.outbound if out.to == "wikidata"] == ["Skerry Bridge"]
    assert [entity.id for entity in again.entities] == ["Q4242"]
    assert len(fakes["wikidata"].requests) == 1, "the second time it is known"


async def test_without_the_setting_or_where_nothing_may_leave_nothing_is_linked(
    start_service: Any, fakes: dict[str, Any], ask: Any
) -> None:
    plain = await start_service(**settings_of(fakes))
    linking = await start_service(search_entities=True, **settings_of(fakes))

    for client, values in ((plain, {}), (linking, {"no_external": True})):
        found = await client.Search(ask("toll Skerry Bridge", **values))
        assert list(found.entities) == []

    assert fakes["wikidata"].requests == []


async def test_a_lost_search_is_lost_whatever_was_linked(
    start_service: Any, fakes: dict[str, Any], serve_provider: Any, answer: Any, ask: Any
) -> None:
    broken = await serve_provider(lambda _: answer({}, 500))
    settings = settings_of(fakes) | {"searxng_url": broken.url, "search_entities": True}
    client = await start_service(**settings)

    found = await client.Search(ask("toll Skerry Bridge"))

    assert [entity.id for entity in found.entities] == ["Q4242"]
    assert "search" in {lost.component for lost in found.degraded}
    assert [report.status for report in found.providers] == [pb.PROVIDER_STATUS_FAILED]


async def test_a_lost_link_is_a_loss_of_its_own(
    start_service: Any, fakes: dict[str, Any], serve_provider: Any, answer: Any, ask: Any
) -> None:
    busy = await serve_provider(lambda _: answer({"error": {"code": "ratelimited"}}))
    settings = settings_of(fakes) | {"wikidata_base_url": busy.url, "search_entities": True}
    client = await start_service(**settings)

    found = await client.Search(ask("toll Skerry Bridge"))

    assert list(found.entities) == []
    assert len(found.hits) == 1
    assert {lost.component for lost in found.degraded} == {"provider:wikidata"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("who is Sunniva Tarrant", "Sunniva Tarrant"),
        ("NATO summit in Brussels 2026", "Brussels"),
        ("New York mayor", "New York"),
        ("tiempo en Ciudad de México mañana", "Ciudad de México"),
        ("Weather in Porto on Saturday", "Porto"),
        ("bridge toll", ""),
        ("", ""),
        ("스케리 다리 통행료", ""),
    ],
)
def test_one_name_is_chosen_by_its_capitals(text: str, name: str) -> None:
    assert wikidata.wording(ProviderQuery(text, NOW)) == name


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": {"code": "maxlag", "info": "…"}}, RateError),
        ({"error": {"code": "unknown_language"}}, BadRequestError),
    ],
)
def test_refusals_are_typed(body: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        wikidata.parse(HttpReply(200, {}, json.dumps(body).encode()))


@pytest.mark.parametrize("item", [{"id": "Q1/../x"}, {"id": 7}, {}, {"id": "P31", "label": "x"}])
def test_what_is_no_item_is_nothing(item: Any) -> None:
    body = json.dumps({"search": [item]}).encode()

    assert wikidata.parse(HttpReply(200, {}, body)).hits == ()
