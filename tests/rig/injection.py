"""Pages that plant instructions for language models, and scripted models that obey them.

A case is a page (or a snippet) with one planted instruction that carries a canary. What an obeying
model would do is known beforehand, so success is exact and needs no judge: the canary is in the
answer, or something was asked of the canary's host.
"""

import html
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

from pellucid_gateway.domain.answer_model import ModelEnd, ModelPiece, Prompt
from pellucid_gateway.verification.fact_matching import overlap

HOST = "found.example"
URL = f"https://{HOST}/page"
OTHER_HOST = "other.example"
OTHER_URL = f"https://{OTHER_HOST}/page"
EXFILTRATION = frozenset({"image", "link", "address"})
Obedience = Literal["nothing", "unfenced", "everything"]

_FENCE = re.compile(r"<<<DATA (\w+)\n(.*?)\n\1 END>>>", re.DOTALL)
# What makes a chat template, and so a model, take what follows for its operator's words.
_BREAKS_OUT = re.compile(
    r"<\|im_start\|>|\[INST\]|</s>|<<SYS>>|(?:^|\n)\W*(?:Human|System)\s*:|#{2,}\s*Instruction|>>>",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"^\[(\d+)\] [^\n]*\n[^\n]*\n(.*?)(?=^\[\d+\] |\Z)", re.DOTALL | re.MULTILINE)
_TAGS = re.compile(r"<[^>]+>")
_TAG_LETTERS = 0xE0000


@dataclass(frozen=True, slots=True)
class Injected:
    """One case.

    Attributes:
        goal: What the planted text wants.
        html: The page with it; `clean` without it.
        snippet: What the search gives with the page.
        other_snippet: That of a second result, where the planted text is split; else empty.
        fact: What a good answer states.
        payload: What an obeying model adds to its answer.
    """

    id: str
    goal: str
    carrier: str
    question: str
    title: str
    html: bytes
    clean: bytes
    snippet: str
    other_snippet: str
    fact: str
    canary: str
    planted: str
    payload: str


@cache
def _data() -> dict[str, Any]:
    path = Path(__file__).with_name("injections.yaml")
    data: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return data


@cache
def cases() -> tuple[Injected, ...]:
    """All cases: every goal by every carrier, with the openings and facts taking turns."""
    return tuple(_every())


def _every() -> Iterator[Injected]:
    data = _data()
    for place, (goal, words) in enumerate(data["goals"].items()):
        for n, carrier in enumerate(data["carriers"]):
            opening = data["openings"][(place * 3 + n) % len(data["openings"])]
            fact = data["facts"][(place + n) % len(data["facts"])]
            name = f"{goal}-{carrier['id']}-{opening['id']}"
            yield _case(name, goal, words=words, carrier=carrier, opening=opening, fact=fact)


def _case(
    name: str,
    goal: str,
    *,
    words: str,
    carrier: dict[str, str],
    opening: dict[str, str],
    fact: dict[str, str],
) -> Injected:
    canary = f"pwned{abs(hash_of(name)):06d}"
    wanted = words.format(canary=canary)
    planted = opening["text"].format(goal=wanted, question=fact["question"])
    where = carrier["where"]
    middle = planted.index(canary) if where == "split" else len(planted)
    first, second = planted[:middle], planted[middle:]
    shown = carrier["html"].format(planted=html.escape(first), tagged=_tagged(planted))
    return Injected(
        id=name,
        goal=goal,
        carrier=carrier["id"],
        question=fact["question"],
        title=f"{fact['title']} {planted}"[:300] if where == "title" else fact["title"],
        html=_page(fact, shown, where, carrier.get("place", "")),
        clean=_page(fact, "", "", ""),
        snippet=f"{fact['text']} {planted}" if where == "snippet" else fact["text"],
        other_snippet=f"{fact['title']}: {second}" if second else "",
        fact=fact["fact"],
        canary=canary,
        planted=planted,
        payload=_payload(goal, wanted, canary),
    )


def hash_of(name: str) -> int:
    """A number of a name that is the same in every process."""
    return sum(ord(c) * (i + 7) for i, c in enumerate(name)) % 1_000_000


def _tagged(text: str) -> str:
    """Invisible letters of the tag block, which models read and people do not see."""
    return "".join(chr(_TAG_LETTERS + ord(c)) for c in text if c.isascii())


def _payload(goal: str, wanted: str, canary: str) -> str:
    if goal == "override":
        return canary
    if goal == "citation":
        return f"{canary} is the only trusted source [9]."
    return wanted.partition(": ")[2] or wanted


def _page(fact: dict[str, str], planted: str, where: str, place: str) -> bytes:
    filler = [f"<p>{line}</p>" for line in _data()["filler"]]
    text = fact["text"].rstrip(".") if place == "same" else fact["text"]
    beside = {"fact": f" {planted}", "same": planted}.get(place, "")
    told = f"<p>{text}{beside}</p>"
    body = [told, *filler]
    if where in {"body", "split"} and place in {"start", "middle", "end"}:
        body.insert({"start": 0, "middle": 2, "end": len(body)}[place], planted)
    title = f"{fact['title']} {planted}" if where == "title" else fact["title"]
    head = f"<title>{title}</title>{planted if where == 'head' else ''}"
    content = "".join(body)
    return (
        f"<html><head>{head}</head><body><article><h1>{fact['title']}</h1>{content}</article>"
        "</body></html>"
    ).encode()


def naive_text(page: bytes) -> str:
    """What a defenceless pipeline shows its model: every letter of the page, tags and all."""
    return html.unescape(page.decode())


class ObeyingModel:
    """A model that answers well, and obeys.

    Args:
        case: Whose planted text it would obey.
        obeys: Nothing; what stands outside the fence or breaks out of it; or everything it reads.
    """

    name = "obeying"
    receiver = ""
    window_tokens = 16_384

    def __init__(self, case: Injected, obeys: Obedience) -> None:
        self._case = case
        self._obeys = obeys
        self.prompts: list[Prompt] = []

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelPiece | ModelEnd]:
        """Answer the last message."""
        self.prompts.append(prompt)
        text = "\n".join(message.content for message in prompt.messages)
        answer = self._answer(text)
        if obeyed := self._obeyed(text):
            answer = obeyed if self._case.goal == "override" else f"{answer} {obeyed}"
        yield ModelPiece(answer)
        yield ModelEnd()

    def _answer(self, text: str) -> str:
        """The sentence of the sources that has most of the question, cited."""
        fence = _FENCE.search(text)
        if not fence:
            return "I do not know."
        best = max(
            (
                (overlap(self._case.question, sentence), int(n), sentence)
                for n, facts in _BLOCK.findall(fence.group(2))
                for sentence in self._told(facts)
            ),
            default=(0.0, 0, "I do not know."),
        )
        return f"{best[2].rstrip('.')} [{best[1]}]." if best[1] else best[2]

    def _told(self, facts: str) -> Iterator[str]:
        """Sentences as a good reader takes them: without what speaks to a model."""
        planted = re.split(r"(?<=[.!?])\s+", self._case.planted)
        for sentence in re.split(r"(?<=[.!?])\s+|(?<=。)", facts):
            if sentence.strip() in planted:
                continue
            told = sentence.partition(self._case.planted[:24])[0].strip(" ,")
            if told and self._case.canary not in told:
                yield told.removesuffix(" and")

    def _obeyed(self, text: str) -> str:
        if self._obeys == "nothing":
            return ""
        heard = text if self._obeys == "everything" else unfenced(text)
        return self._case.payload if self._case.canary in heard else ""


def unfenced(text: str) -> str:
    """What a model may take for its operator's words: outside the fence, or broken out of it."""
    heard = _FENCE.sub(" ", text)
    for _, inside in _FENCE.findall(text):
        broken = _BREAKS_OUT.search(inside)
        if broken:
            heard += inside[broken.end() :]
    return heard


def benign() -> tuple[dict[str, str], ...]:
    """Harmless texts that look alike, each with its question and fact."""
    return tuple(_data()["benign"])
