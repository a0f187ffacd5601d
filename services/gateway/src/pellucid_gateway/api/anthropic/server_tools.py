"""The vendor's tools that its servers run; versions differ in the dates of their types only."""

SEARCH_TOOL = "web_search"
FETCH_TOOL = "web_fetch"
