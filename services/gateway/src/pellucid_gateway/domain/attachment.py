"""A text or PDF that a person hands over with a message: a page that they named.

Like any page it has an address, by which the conversation speaks of it. The address says nothing
of the name or the content, leads nowhere (RFC 2606) and is the same when the file comes again.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

_PLACE: Final = "https://attachment.invalid/"
# All attachments of a request together, in bytes: the fetcher's limit of one.
MOST_BYTES: Final = 10 * 1024 * 1024
MOST_ATTACHMENTS: Final = 3
# The same in base64, with room for the rest of its JSON.
ATTACHED_BODY_BYTES: Final = 14 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file as it was handed over.

    Attributes:
        name: As the person calls it; shown, never sent outside.
        url: Its address.
    """

    name: str
    content: bytes = field(repr=False)
    url: str = field(init=False)

    def __post_init__(self) -> None:
        """Make the address of letters and digits in turn: no word, and no number of anybody."""
        digest = hashlib.sha256(self.content).digest()[:8]
        mark = "".join(f"{chr(97 + byte % 26)}{byte % 10}" for byte in digest)
        object.__setattr__(self, "url", f"{_PLACE}{mark}")

    @property
    def file_url(self) -> str:
        """The address with the name, whose ending tells what the file is; for the fetcher alone."""
        return f"{self.url}/{quote(self.name)}"


def is_attachment(url: str) -> bool:
    """Whether an address is that of an attachment.

    >>> is_attachment("https://attachment.invalid/a1b2"), is_attachment("https://a.example/")
    (True, False)
    """
    return url.startswith(_PLACE)


def naming(message: str, earlier: Iterable[str], attachments: Iterable[Attachment]) -> str:
    """The message with the addresses of what was attached to it, or what it calls by its name.

    Args:
        message: The person's.
        earlier: Messages before it; what was named in them goes along without being named again.
        attachments: All that came with the request.
    """
    said, words = "\n".join((*earlier, message)), message.casefold()
    called = [one for one in attachments if one.url not in said or one.name.casefold() in words]
    new = dict.fromkeys(one.url for one in called if one.url not in message)
    return "\n".join((message, *new))


def without_attachments(message: str) -> str:
    """A message as the person wrote it.

    >>> without_attachments("what does it say? https://attachment.invalid/a1b2")
    'what does it say?'
    """
    return " ".join(word for word in message.split() if not is_attachment(word))
