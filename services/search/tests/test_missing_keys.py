"""A listed provider without its key is told at the start, by `--check` and in every answer."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import structlog
from faithful_providers import faithful, settings_of
from pellucid.search.v1 import search_pb2 as pb
from pydantic import ValidationError

from pellucid_search.app import tried_providers
from pellucid_search.settings import SearchSettings


async def test_it_is_told_at_the_start_and_in_the_answer(start_service: Any, ask: Any) -> None:
    with structlog.testing.capture_logs() as logs:
        client = await start_service(search_providers="brave")

    found = await client.Search(ask("island ferry"))

    warned = [line for line in logs if line["event"] == "provider_without_key"]
    assert [(w["provider"], w["setting"]) for w in warned] == [("brave", "BRAVE_SEARCH_API_KEY")]
    assert "search_not_configured" in {line["event"] for line in logs}
    (report,) = found.providers
    assert (report.status, report.error_code, report.detail) == (
        pb.PROVIDER_STATUS_SKIPPED,
        pb.PROVIDER_ERROR_CODE_BAD_KEY,
        "BRAVE_SEARCH_API_KEY is not set",
    )
    degraded = {part.component: part.detail for part in found.degraded}
    assert degraded["provider:brave"] == "BRAVE_SEARCH_API_KEY is not set"
    assert "search" in degraded


async def test_where_another_answers_nothing_is_lost(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any
) -> None:
    tavily = await serve_provider(faithful("tavily", answer))
    client = await start_service(
        search_providers="brave,tavily", **settings_of("tavily", tavily.url)
    )

    found = await client.Search(ask("island ferry"))

    assert len(found.hits) == 2
    assert list(found.degraded) == []
    codes = {report.name: report.error_code for report in found.providers}
    assert codes == {
        "brave": pb.PROVIDER_ERROR_CODE_BAD_KEY,
        "tavily": pb.PROVIDER_ERROR_CODE_UNSPECIFIED,
    }


@pytest.mark.parametrize(
    ("values", "lines"),
    [({"search_providers": "auto"}, ["asks ddgs"]),
     ({"search_providers": "auto", "brave_search_api_key": "k"}, ["asks brave"]),
     ({"search_providers": " Brave , DuckDuckGo ", "brave_search_api_key": "k"},
      ["asks brave, ddgs"]),
     ({"search_providers": "exa,ddgs", "exa_api_key": "  "},
      ["exa: EXA_API_KEY is not set, so it is never asked; see docs/providers.md#exa",
       "asks ddgs"]),
     ({"search_providers": "brave"},
      ["brave: BRAVE_SEARCH_API_KEY is not set, so it is never asked; see docs/providers.md#brave",
       "no provider of SEARCH_PROVIDERS can be asked: nothing will be found on the web"]),
     ({"search_providers": "vertex,ddgs"},
      [("vertex: VERTEX_API_KEY and VERTEX_SERVING_CONFIG are not set, so it is never asked; see "
        "docs/providers.md#vertex"), "asks ddgs"])],
)  # fmt: skip
async def test_check_tells_it(values: dict[str, Any], lines: list[str], tmp_path: Path) -> None:
    settings = SearchSettings(data_dir=tmp_path, **values)

    assert [line async for line in tried_providers(settings)] == lines


def test_check_is_the_command(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "pellucid_search", "--check"],
        env={"SEARCH_PROVIDERS": "brave", "DATA_DIR": str(tmp_path)},
        capture_output=True,
        check=True,
        text=True,
    )

    assert "BRAVE_SEARCH_API_KEY is not set" in told.stdout


def test_a_misspelt_provider_is_named() -> None:
    with pytest.raises(ValidationError, match="brvae is unknown; must be auto or of"):
        SearchSettings(search_providers="brvae,ddgs")
