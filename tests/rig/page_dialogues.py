"""Dialogues about pages that a person named: where each turn belongs, and where it went.

Where a turn went is told by what the model was shown: text of the page, a result of the search, or
neither of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from rig.page_apis import Face, GatewayOnPages

PAGE, SEARCH, CHAT = "page", "search", "chat"


@dataclass(frozen=True, slots=True)
class Said:
    """One turn as written.

    Attributes:
        belongs: `page`, `search` or `chat`.
        message: What the person says.
        groups: What must be shown of the page, or stand in a query: spellings of each fact.
    """

    belongs: str
    message: str
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A page and what is said about it."""

    name: str
    language: str
    url: str
    page: str
    turns: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Went:
    """What became of a turn.

    Attributes:
        went: `page`, `search`, `chat`.
        has_facts: Everything that was wanted stood in what was shown or searched for.
        did_both: The page was read and the web was searched.
    """

    dialogue: str
    said: Said
    went: str
    has_facts: bool
    did_both: bool

    @property
    def is_right(self) -> bool:
        """It went where it belongs, and found what was wanted."""
        return self.went == self.said.belongs and self.has_facts


def dialogues(name: str) -> tuple[Dialogue, ...]:
    """The dialogues of a file beside this one."""
    cases = yaml.safe_load(Path(__file__).with_name(f"{name}.yaml").read_text("utf-8"))
    return tuple(_dialogue(f"{name}-{n}", case) for n, case in enumerate(cases))


def _dialogue(name: str, case: dict[str, object]) -> Dialogue:
    url = f"https://{name.replace('_', '-')}.example/read"
    said = tuple(_said(turn, url) for turn in str(case["turns"]).splitlines())
    return Dialogue(name, str(case["lang"]), url, _unwrapped(str(case["page"])), said)


def _unwrapped(page: str) -> str:
    """A page whose paragraphs are written over several lines, as the fetcher gives it."""
    blocks = (block if block[0] in "|-" else _joined(block) for block in page.split("\n\n"))
    return "\n\n".join(blocks)


def _joined(block: str) -> str:
    return "".join(
        line if line[-1] > "\u2e7f" else f"{line} " for line in block.splitlines()
    ).strip()


def _said(turn: str, url: str) -> Said:
    belongs, message, facts = (part.strip() for part in turn.split("|"))
    groups = tuple(tuple(fact.split(" / ")) for fact in facts.split(" & ") if fact)
    return Said(belongs, message.replace("{url}", url), groups)


async def held(dialogue: Dialogue, gateway: GatewayOnPages, face: Face) -> Sequence[Went]:
    """Hold a dialogue over a face, each turn with what was said before."""
    gateway.web.pages = {dialogue.url: dialogue.page}
    talk = face(gateway.http)
    found = []
    for said in dialogue.turns:
        gateway.web.begin(_answer(said))
        await talk.say(said.message)
        found.append(_went(dialogue, said, gateway))
    return found


def _answer(said: Said) -> str:
    facts = ", ".join(group[0] for group in said.groups)
    return f"{facts}." if facts and said.belongs == PAGE else "That is what I found."


def _went(dialogue: Dialogue, said: Said, gateway: GatewayOnPages) -> Went:
    shown, queries = gateway.web.shown, " ".join(gateway.web.queries)
    read = _packed(dialogue.page.splitlines()[-1]) in _packed(shown)
    searched = gateway.web.RESULT in shown
    # Where both is done, what is meant is among it.
    went = said.belongs if read and searched else PAGE if read else SEARCH if searched else CHAT
    folded = " ".join((shown if said.belongs == PAGE else queries).split()).casefold()
    has_facts = all(any(one.casefold() in folded for one in group) for group in said.groups)
    # The address of a page is nobody's business but its own server's.
    leaks = urlsplit(dialogue.url).netloc in queries
    return Went(dialogue.name, said, went, has_facts and not leaks, read and searched)


def _packed(text: str) -> str:
    """Without white space and marks of format, to tell whether a page's last line is shown."""
    return "".join(text.replace("*", "").replace("`", "").split())


def share(results: Sequence[Went], belongs: str) -> float:
    """Share of the turns that belong somewhere which went there and found what was wanted."""
    those = [result for result in results if result.said.belongs == belongs]
    return sum(result.is_right for result in those) / len(those)
