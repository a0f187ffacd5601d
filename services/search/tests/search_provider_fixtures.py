"""What every HTTP provider is sent and what it answers, as documented, in our own words.

Refusals stand in `search_provider_refusals.py`.
"""

from typing import Any

PAGE_ONE = "https://docs.example.com/guide"
PAGE_TWO = "https://news.example.org/story"


GOOD: dict[str, Any] = {
    "brave": {
        "type": "search",
        "web": {"results": [
            {"title": "The <strong>guide</strong>", "url": PAGE_ONE, "description": "All about it",
             "page_age": "2026-01-02T03:04:05", "language": "en", "extra_snippets": ["More"]},
            {"title": "A story", "url": PAGE_TWO, "description": "Happened", "age": "2 days ago"},
        ]},
    },
    "tavily": {
        "query": "guide", "response_time": 0.4, "request_id": "r1", "images": [],
        "results": [
            {"title": "The guide", "url": PAGE_ONE, "content": "All about it", "score": 0.9,
             "raw_content": "The whole page."},
            {"title": "A story", "url": PAGE_TWO, "content": "Happened", "score": 0.5,
             "raw_content": None, "published_date": "Thu, 01 Jan 2026 10:00:00 GMT"},
        ],
        "usage": {"credits": 1},
    },
    "searxng": {
        "query": "guide", "answers": [], "unresponsive_engines": [["x", "timeout"]],
        "results": [
            {"title": "The guide", "url": PAGE_ONE, "content": "All about it", "engine": "a",
             "publishedDate": None},
            {"title": "A story", "url": PAGE_TWO, "content": "Happened", "engine": "b",
             "publishedDate": "2026-01-01T10:00:00"},
        ],
    },
    "google": {
        "kind": "customsearch#search", "searchInformation": {"totalResults": "2"},
        "items": [
            {"title": "The guide", "link": PAGE_ONE, "snippet": "All about it",
             "pagemap": {"metatags": [{"article:published_time": "2026-01-02T03:04:05Z"}]}},
            {"title": "A story", "link": PAGE_TWO, "snippet": "Happened"},
        ],
    },
    "bing": {
        "_type": "SearchResponse",
        "webPages": {"value": [
            {"name": "The guide", "url": PAGE_ONE, "snippet": "All about it", "language": "en",
             "datePublished": "2026-01-02T03:04:05.0000000"},
            {"name": "A story", "url": PAGE_TWO, "snippet": "Happened"},
        ]},
    },
    "serper": {
        "searchParameters": {"q": "guide", "type": "search"}, "credits": 1,
        "organic": [
            {"title": "The guide", "link": PAGE_ONE, "snippet": "All about it", "position": 1,
             "date": "Jan 2, 2026"},
            {"title": "A story", "link": PAGE_TWO, "snippet": "Happened", "position": 2},
        ],
    },
    "serpapi": {
        "search_metadata": {"status": "Success"},
        "organic_results": [
            {"position": 1, "title": "The guide", "link": PAGE_ONE, "snippet": "All about it"},
        ],
        "news_results": [
            {"position": 1, "title": "A story", "link": PAGE_TWO, "snippet": "Happened",
             "date": "2 days ago", "source": "News"},
        ],
    },
    "jina": {
        "code": 200, "status": 20000, "meta": {"usage": {"tokens": 10000}},
        "data": [
            {"title": "The guide", "url": PAGE_ONE, "description": "All about it", "content": "",
             "date": "Jan 2, 2026", "usage": {"tokens": 1000}},
            {"title": "A story", "url": PAGE_TWO, "description": "Happened", "content": ""},
        ],
    },
    "you": {
        "metadata": {"query": "guide", "latency": 0.3},
        "results": {
            "web": [{"title": "The guide", "url": PAGE_ONE, "description": "All about it",
                     "snippets": ["First excerpt", "Second excerpt"]}],
            "news": [{"title": "A story", "url": PAGE_TWO, "description": "Happened",
                      "page_age": "2026-01-01T10:00:00"}],
        },
    },
    "perplexity": {
        "id": "1", "server_time": None,
        "results": [
            {"title": "The guide", "url": PAGE_ONE, "snippet": "All about it, at length",
             "date": "2026-01-02", "last_updated": "2026-01-03"},
            {"title": "A story", "url": PAGE_TWO, "snippet": "Happened", "date": None},
        ],
    },
    "mojeek": {
        "response": {
            "status": "OK", "head": {"query": "guide", "return": 2, "results": 2},
            "results": [
                {"title": "The guide", "url": PAGE_ONE, "desc": "All about it",
                 "timestamp": 1767322245},
                {"title": "A story", "url": PAGE_TWO, "desc": "Happened"},
            ],
        },
    },
    "exa": {
        "requestId": "r1", "costDollars": {"total": 0.007},
        "results": [
            {"id": PAGE_ONE, "title": "The guide", "url": PAGE_ONE, "author": None,
             "publishedDate": "2026-01-02T03:04:05.000Z", "highlights": ["All about it", "More"]},
            {"id": PAGE_TWO, "title": "A story", "url": PAGE_TWO, "highlights": ["Happened"]},
        ],
    },
    "firecrawl": {
        "success": True, "creditsUsed": 2,
        "data": {
            "web": [{"title": "The guide", "url": PAGE_ONE, "description": "All about it",
                     "position": 1}],
            "news": [{"title": "A story", "url": PAGE_TWO, "snippet": "Happened",
                      "date": "2 days ago", "position": 1}],
        },
    },
    "kagi": {
        "meta": {"trace": "t1", "node": "us", "ms": 210},
        "data": {
            "search": [{"title": "The guide", "url": PAGE_ONE, "snippet": "All about it",
                        "time": "2026-01-02T03:04:05Z"}],
            "news": [{"title": "A story", "url": PAGE_TWO, "snippet": "Happened"}],
            "related_search": [{"title": "guide book", "url": "/search?q=guide+book"}],
        },
    },
    "vertex": {
        "totalSize": 2, "attributionToken": "t",
        "results": [
            {"id": "1", "document": {"id": "1", "derivedStructData": {
                "title": "The guide", "link": PAGE_ONE,
                "snippets": [{"snippet": "All about it", "snippet_status": "SUCCESS"}],
                "pagemap": {"metatags": [{"article:published_time": "2026-01-02T03:04:05Z"}]}}}},
            {"id": "2", "document": {"id": "2", "derivedStructData": {
                "title": "A story", "link": PAGE_TWO, "snippets": [{"snippet": "Happened"}]}}},
        ],
    },
}  # fmt: skip

NOTHING_FOUND: dict[str, Any] = {
    "brave": {"type": "search", "query": {"original": "guide"}},
    "tavily": {"query": "guide", "results": []},
    "searxng": {"query": "guide", "results": [], "unresponsive_engines": []},
    "google": {"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}},
    "bing": {"_type": "SearchResponse"},
    "serper": {"searchParameters": {"q": "guide"}, "organic": [], "credits": 1},
    "serpapi": {
        "search_metadata": {"status": "Success"},
        "search_information": {"organic_results_state": "Fully empty"},
        "error": "Google hasn't returned any results for this query.",
    },
    "jina": {"code": 200, "status": 20000, "data": []},
    "you": {"results": {"web": []}, "metadata": {"query": "guide"}},
    "perplexity": {"id": "1", "results": []},
    "mojeek": {"response": {"status": "OK", "head": {"results": 0}, "results": []}},
    "exa": {"requestId": "r1", "results": [], "costDollars": {"total": 0.005}},
    "firecrawl": {"success": True, "data": {"web": []}, "creditsUsed": 0},
    "kagi": {"meta": {"trace": "t1"}, "data": {}},
    "vertex": {"attributionToken": "t", "summary": {}},
}

# The path, and exactly what is sent for a plain query and for one with every common parameter.
WITH_SITES = "island ferry site:docs.example.com -site:bad.example"
SENT: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "brave": (
        "/res/v1/web/search",
        {"q": "island ferry", "count": "10", "safesearch": "moderate", "country": "ALL",
         "text_decorations": "false", "result_filter": "web", "extra_snippets": "true"},
        {"q": WITH_SITES, "count": "7", "safesearch": "strict", "country": "KR",
         "text_decorations": "false", "result_filter": "web,news", "extra_snippets": "true",
         "search_lang": "ko", "freshness": "pw"},
    ),
    "tavily": (
        "/search",
        {"query": "island ferry", "search_depth": "basic", "topic": "general", "max_results": 10,
         "include_raw_content": "text", "include_answer": False, "include_images": False,
         "include_usage": True},
        {"query": "island ferry", "search_depth": "basic", "topic": "news", "max_results": 7,
         "include_raw_content": "text", "include_answer": False, "include_images": False,
         "include_usage": True, "time_range": "week", "include_domains": ["docs.example.com"],
         "exclude_domains": ["bad.example"], "safe_search": True},
    ),
    "searxng": (
        "/search",
        {"q": "island ferry", "format": "json", "categories": "general", "language": "all",
         "safesearch": "1", "pageno": "1"},
        {"q": WITH_SITES, "format": "json", "categories": "news", "language": "ko-KR",
         "safesearch": "2", "pageno": "1", "time_range": "week"},
    ),
    "google": (
        "/customsearch/v1",
        {"key": "k", "cx": "engine", "q": "island ferry", "num": "10", "safe": "active"},
        {"key": "k", "cx": "engine", "q": "island ferry -site:bad.example", "num": "7",
         "safe": "active", "dateRestrict": "w1", "lr": "lang_ko", "hl": "ko", "gl": "kr",
         "siteSearch": "docs.example.com", "siteSearchFilter": "i"},
    ),
    "bing": (
        "/v7.0/search",
        {"q": "island ferry", "count": "10", "safeSearch": "Moderate",
         "responseFilter": "Webpages", "textDecorations": "false", "textFormat": "Raw"},
        {"q": WITH_SITES, "count": "7", "safeSearch": "Strict",
         "responseFilter": "Webpages,News", "textDecorations": "false", "textFormat": "Raw",
         "freshness": "Week", "mkt": "ko-KR"},
    ),
    "serper": (
        "/search",
        {"q": "island ferry", "num": 10},
        {"q": WITH_SITES, "num": 7, "gl": "kr", "hl": "ko", "tbs": "qdr:w"},
    ),
    "serpapi": (
        "/search.json",
        {"engine": "google", "api_key": "k", "q": "island ferry", "safe": "active"},
        {"engine": "google", "api_key": "k", "q": WITH_SITES, "safe": "active", "gl": "kr",
         "hl": "ko", "lr": "lang_ko", "tbs": "qdr:w", "tbm": "nws"},
    ),
    "jina": (
        "/",
        {"q": "island ferry", "num": 10},
        {"q": WITH_SITES, "num": 7, "gl": "kr", "hl": "ko"},
    ),
    "you": (
        "/v1/search",
        {"query": "island ferry", "count": 10, "safesearch": "moderate"},
        {"query": "island ferry", "count": 7, "safesearch": "strict", "freshness": "week",
         "country": "KR", "language": "KO", "include_domains": ["docs.example.com"]},
    ),
    "perplexity": (
        "/search",
        {"query": "island ferry", "max_results": 10, "max_tokens_per_page": 1024},
        {"query": "island ferry", "max_results": 7, "max_tokens_per_page": 1024, "country": "KR",
         "search_language_filter": ["ko"], "search_recency_filter": "week",
         "search_domain_filter": ["docs.example.com"]},
    ),
    "mojeek": (
        "/search",
        {"api_key": "k", "q": "island ferry", "fmt": "json", "t": "10", "safe": "1", "date": "1"},
        {"api_key": "k", "q": "island ferry -site:bad.example", "fmt": "json", "t": "7",
         "safe": "1", "date": "1", "since": "20251227", "rb": "KR", "rbb": "10", "lb": "KO",
         "lbb": "10", "site": "docs.example.com"},
    ),
    "exa": (
        "/search",
        {"query": "island ferry", "type": "auto", "numResults": 10, "moderation": True,
         "contents": {"highlights": True}},
        {"query": "island ferry", "type": "auto", "numResults": 7, "moderation": True,
         "contents": {"highlights": True}, "category": "news", "userLocation": "KR",
         "startPublishedDate": "2025-12-27T00:00:00Z", "includeDomains": ["docs.example.com"]},
    ),
    "firecrawl": (
        "/v2/search",
        {"query": "island ferry", "limit": 10, "sources": [{"type": "web"}]},
        {"query": WITH_SITES, "limit": 7, "sources": [{"type": "web"}, {"type": "news"}],
         "country": "KR", "tbs": "qdr:w"},
    ),
    "kagi": (
        "/api/v1/search",
        {"query": "island ferry", "workflow": "search", "limit": 10, "safe_search": True},
        {"query": WITH_SITES, "workflow": "news", "limit": 7, "safe_search": True,
         "filters": {"region": "KR", "after": "2025-12-27"}},
    ),
    "vertex": (
        "/v1/engine:searchLite",
        {"query": "island ferry", "pageSize": 10, "safeSearch": True,
         "contentSearchSpec": {"snippetSpec": {"returnSnippet": True}}},
        {"query": "island ferry", "pageSize": 7, "safeSearch": True,
         "contentSearchSpec": {"snippetSpec": {"returnSnippet": True}},
         "filter": 'lr:"lang_ko" AND siteSearch:"https://docs.example.com"'},
    ),
}  # fmt: skip
# Where a provider that has a key expects it: a header or the request target, its name, what stands
# before the key.
KEY_PLACES = {
    "brave": ("header", "x-subscription-token", ""),
    "tavily": ("header", "authorization", "Bearer "),
    "google": ("target", "key", ""),
    "bing": ("header", "ocp-apim-subscription-key", ""),
    "serper": ("header", "x-api-key", ""),
    "serpapi": ("target", "api_key", ""),
    "jina": ("header", "authorization", "Bearer "),
    "you": ("header", "x-api-key", ""),
    "perplexity": ("header", "authorization", "Bearer "),
    "mojeek": ("target", "api_key", ""),
    "exa": ("header", "x-api-key", ""),
    "firecrawl": ("header", "authorization", "Bearer "),
    "kagi": ("header", "authorization", "Bearer "),
    "vertex": ("header", "x-goog-api-key", ""),
}

# What the ddgs library raises: name of the exception, its text, the typed code.
LIBRARY_FAILURES: tuple[tuple[str, str, str], ...] = (
    ("RatelimitException", "202 Ratelimit", "rate"),
    ("TimeoutException", "request timed out", "timeout"),
    ("DDGSException", "captcha page", "blocked"),
    ("DDGSException", "error trying to connect: dns error", "unreachable"),
    ("DDGSException", "something else", "server"),
    ("OSError", "connection lost", "server"),
    ("ValueError", "a page of another form", "server"),
)
