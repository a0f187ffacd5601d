"""Entries of the list of strings that left the installation."""

from urllib.parse import urlsplit

from pellucid_gateway.turn import OutboundText


def host_of(url: str) -> str:
    """Host of an address, lower case; empty when it has none or is malformed."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def fetched_url(url: str) -> OutboundText:
    """An address that was asked for."""
    return OutboundText(host_of(url), "url", url)


def sent_prompt(receiver: str, text: str) -> OutboundText:
    """A prompt that an external model was sent."""
    return OutboundText(receiver, "prompt", text)
