"""The address of a model server, taken apart."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

# Azure's older addresses end in it, and want the key in a header of its own.
_VERSION_PARAMETER = "api-version"


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """An address, taken apart.

    Attributes:
        root: Up to and including the version, without a slash at its end.
        query: What stands after a question mark, for every request; empty where there is none.
    """

    root: str
    query: str = ""

    @classmethod
    def of(cls, base_url: str) -> "BaseUrl":
        """Take it apart.

        >>> BaseUrl.of("https://a.example/openai/deployments/d?api-version=1").query
        'api-version=1'
        """
        root, _, query = base_url.partition("?")
        return cls(root.rstrip("/"), query)

    @property
    def host(self) -> str:
        """Host of the address."""
        return urlsplit(self.root).hostname or ""

    def headers(self, api_key: Callable[[], str]) -> dict[str, str]:
        """Headers that carry the key; none where there is no key, or the address names a user."""
        if not (key := api_key()) or "@" in urlsplit(self.root).netloc:
            return {}
        both = {"Authorization": f"Bearer {key}"}
        is_classic = _VERSION_PARAMETER in dict(parse_qsl(self.query))
        return both | ({"api-key": key} if is_classic else {})
