"""Hosts of untrusted addresses.

Addresses are read as browsers read them (WHATWG), so that backslashes, user names, full-width
letters and odd IP spellings cannot make a host look like another one. International names are
compared in their ASCII form.
"""

import re

import ada_url

PLAIN = re.compile(r"https?://((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,63})(?=[/?#]|\Z)")
"""An address whose host reads as it is written, as most do: lower-case names, no port, no user."""


def host_of(url: str) -> str:
    """Return the host of an absolute address in ASCII lower case; empty when there is none.

    >>> host_of("https://reuters.com@evil.example/")
    'evil.example'
    """
    if plain := PLAIN.match(url):
        return plain[1]
    try:
        return ada_url.URL(url).hostname.rstrip(".")
    except ValueError:
        return ""


def label(domain: str) -> str:
    """Return the registrable label, the part before the public suffix.

    >>> label("openai.com")
    'openai'
    """
    return domain.partition(".")[0]
