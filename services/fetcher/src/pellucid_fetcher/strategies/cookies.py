"""Cookies within one chain of redirects: some sites set one and lead back to the same address.

They are sent only to the host that set them, and forgotten with the chain.
"""

import re
from dataclasses import dataclass, field
from typing import Final

_MOST: Final = 20
_MOST_CHARS: Final = 4_096
# Repeated headers come joined with commas; days of the week have one too.
_NEXT: Final = re.compile(r",(?=\s*[^\s;,=]+=)")
_PAIR: Final = re.compile(r"\s*([^\s;,=\x00-\x1f]+)=([^;\x00-\x1f]*)")


@dataclass(slots=True)
class ChainCookies:
    """What the hosts of one chain have set."""

    _by_host: dict[str, dict[str, str]] = field(default_factory=dict)

    def take(self, host: str, header: str) -> None:
        """Keep what a host sets.

        Args:
            host: That answered.
            header: Its ``set-cookie`` headers, joined; empty for none.
        """
        kept = self._by_host.setdefault(host, {})
        for part in _NEXT.split(header) if header else ():
            pair = _PAIR.match(part)
            if pair is not None and len(kept) < _MOST and len(pair[0]) <= _MOST_CHARS:
                kept[pair[1]] = pair[2].strip()

    def header(self, host: str) -> str:
        """Return what is sent to a host; empty for nothing.

        >>> cookies = ChainCookies()
        >>> cookies.take("a.example", "s=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT, t=2")
        >>> cookies.header("a.example"), cookies.header("b.example")
        ('s=1; t=2', '')
        """
        return "; ".join(f"{name}={value}" for name, value in self._by_host.get(host, {}).items())
