"""Search clients: Tavily's SDK, LangChain's SearXNG wrapper, Open WebUI's requests."""

import httpx
import tavily
from checking import run
from langchain_community.utilities import SearxSearchWrapper


def client(base: str) -> tavily.TavilyClient:
    return tavily.TavilyClient(api_key="any", api_base_url=f"{base}/compat/tavily")


def check_tavily(base: str) -> None:
    found = client(base).search("Skerry Bridge toll", max_results=1)
    assert found["results"][0]["url"] == "http://post.example/page-1"
    page = client(base).extract(["http://post.example/page-1"])
    assert page["results"][0]["raw_content"]


def check_tavily_raises_what_failed(base: str) -> None:
    try:
        client(base).search("outage")
    except httpx.HTTPError:
        raise
    except Exception as error:
        assert "503" in str(error) or "provider" in str(error)
    else:
        raise AssertionError


def check_searxng_by_its_base(base: str) -> None:
    wrapper = SearxSearchWrapper(searx_host=f"{base}/compat/searxng")
    (found,) = wrapper.results("Skerry Bridge toll", num_results=1)
    assert found["link"] == "http://post.example/page-1"


def check_open_webui(base: str) -> None:
    url = f"{base}/compat/openwebui"
    found = httpx.post(f"{url}/search", json={"query": "Skerry Bridge toll", "count": 1})
    assert found.json()[0].keys() == {"link", "title", "snippet"}
    loaded = httpx.post(f"{url}/load", json={"urls": ["http://post.example/page-1"]})
    assert loaded.json()[0]["page_content"]
    assert httpx.post(f"{url}/search", json={"query": "outage"}).status_code == 503


run(globals())
