"""Google's own codes, which every provider that resells its results takes as well."""

from pellucid_search.query import Freshness, ProviderQuery

_TRADITIONAL_CHINESE = frozenset({"TW", "HK", "MO"})
_OTHER_CODES = {"he": "iw", "nb": "no", "nn": "no"}
_PAST = {
    Freshness.DAY: "qdr:d",
    Freshness.WEEK: "qdr:w",
    Freshness.MONTH: "qdr:m",
    Freshness.YEAR: "qdr:y",
}


def language_code(query: ProviderQuery) -> str:
    """Return the code of a language (`hl`); empty for any."""
    if query.language == "zh":
        return "zh-TW" if query.country in _TRADITIONAL_CHINESE else "zh-CN"
    return _OTHER_CODES.get(query.language, query.language)


def country_code(query: ProviderQuery) -> str:
    """Return the code of a country (`gl`), lower case; empty for none."""
    return "uk" if query.country == "GB" else query.country.lower()


def past(query: ProviderQuery) -> str:
    """Return the window as `tbs` names it; empty for any time."""
    return _PAST.get(query.freshness, "")
