"""Ask a small real model: `make real-model`, or with one of your own by `--base-url` and `--model`.

Starts llama.cpp's server and the five services, and asks thirty questions about the sample corpus,
the faces in turn; with `--every-face` each question over each face. Prints every answer, then a
table. What it says is for people to read: nothing fails but a turn without an answer.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from real_faces import FACES, Reply, ask  # noqa: E402 - needs the path above

from pellucid_language.detection import detect_language  # noqa: E402 - needs the path above
from pellucid_language.sentences import spans  # noqa: E402 - needs the path above
from rig.installation import start_installation  # noqa: E402 - needs the path above
from rig.ports import free_port  # noqa: E402 - needs the path above

VENV = ROOT / ".venv-real-model"
MODEL = "qwen2.5-coder-1.5b-instruct"
WINDOW_TOKENS = 8_192
QUESTIONS = 30
OFFSET = 14_000
_LOADED_WITHIN_S = 300.0
# Shorter ones are headings, greetings and interjections.
_LEAST_SENTENCE_CHARS = 15
_LIST_OF_SOURCES = "\n### "


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the corpus over a face, and its answer."""

    question: Mapping[str, Any]
    face: str
    reply: Reply

    @property
    def sentences(self) -> tuple[bool, ...]:
        """Of each sentence that states something: whether a citation lies over it.

        That there is no answer is a statement too, so that the share is a lower bound. The list of
        sources that a Korean answer ends with states nothing.
        """
        text = self.reply.text.partition(_LIST_OF_SOURCES)[0]
        return tuple(
            any(start < end_cited and begun < end for begun, end_cited in self.reply.spans)
            for start, end in spans(text)
            if _states(text[start:end])
        )

    @property
    def has_facts(self) -> bool:
        """Every fact of a right answer is in it, in one of its spellings."""
        facts = self.question.get("facts", ())
        return all(any(spelling in self.reply.text for spelling in fact) for fact in facts)

    @property
    def is_in_language(self) -> bool:
        """The answer is in the question's language."""
        language = self.question["language"]
        return detect_language(self.reply.text, language) == language

    @property
    def is_answered(self) -> bool:
        """There is an answer at all."""
        return self.reply.kind != "error" and bool(self.reply.text)

    def told(self) -> str:
        """The answer and what is known of it."""
        reply, cited = self.reply, self.sentences
        counts = Counter(reply.checks)
        checks = " ".join(f"{check}={n}" for check, n in sorted(counts.items()))
        return (
            f"\n[{self.face}] {self.question['question']}\n{reply.text}\n"
            f"  -- {reply.seconds:.1f} s {reply.kind} cited {sum(cited)}/{len(cited)} sentences, "
            f"{reply.added} added {checks} {' '.join(reply.notices)}"
        )


def _states(sentence: str) -> bool:
    stripped = sentence.strip()
    return len(stripped) >= _LEAST_SENTENCE_CHARS and not stripped.endswith(("?", "？", ":"))


def questions(most: int) -> Sequence[Mapping[str, Any]]:
    """Questions that need no history, spread evenly over the corpus's list."""
    bank = yaml.safe_load((ROOT / "corpus" / "questions.yaml").read_text("utf-8"))["questions"]
    alone = [question for question in bank if "history" not in question]
    return [alone[number * len(alone) // most] for number in range(min(most, len(alone)))]


@contextmanager
def llama_server() -> Iterator[str]:
    """llama.cpp's server with the weights of the packages; yields its base URL."""
    port = free_port()
    command = (
        str(VENV / "bin" / "python"), "-m", "llama_cpp.server", "--model", str(VENV / "model.gguf"),
        "--model_alias", MODEL, "--n_ctx", str(WINDOW_TOKENS), "--port", str(port),
    )  # fmt: skip
    with (VENV / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - ours
    try:
        url = f"http://127.0.0.1:{port}/v1"
        _wait_for(url, process)
        yield url
    finally:
        process.terminate()
        process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Until the model is loaded.

    Raises:
        TimeoutError: It is not in time, or the server ended.
    """
    end = time.monotonic() + _LOADED_WITHIN_S
    while process.poll() is None and time.monotonic() < end:
        try:
            if httpx.get(f"{url}/models", trust_env=False).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.5)
    raise TimeoutError(f"llama.cpp's server did not start, see {VENV / 'server.log'}")


@contextmanager
def gateway(base_url: str, model: str, window_tokens: int) -> Iterator[str]:
    """The five services over this model; yields the gateway's address."""
    environment = {
        "OPENAI_BASE_URL": base_url,
        "LLM_MODEL": model,
        "LLM_WINDOW_TOKENS": str(window_tokens),
        "LLM_INTERNAL": "true",
    }
    with tempfile.TemporaryDirectory() as data:
        installation = start_installation(Path(data), OFFSET, environment)
        try:
            installation.wait_for_line("ready after")
            yield installation.url
        finally:
            installation.stop()


async def ask_all(url: str, most: int, *, every_face: bool) -> list[Asked]:
    """Ask one after another, as a server with one slot answers, and print each answer."""
    asked = []
    for number, question in enumerate(questions(most)):
        names = tuple(FACES)
        for face in names if every_face else (names[number % len(names)],):
            one = Asked(question, face, await ask(url, face, question["question"]))
            print(one.told(), flush=True)
            asked.append(one)
    return asked


def table(asked: Sequence[Asked]) -> str:
    """One row per face, and one for all."""
    by_face: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        by_face[one.face].append(one)
    head = ("face", "turns", "answered", "cited", "added", "right", "language", "median s")
    rows = [(face, *_figures(some)) for face, some in by_face.items()]
    lines = [head, *rows, ("all", *_figures(asked))]
    return "\n".join("".join(f"{cell:>12}" for cell in line) for line in lines)


def _figures(asked: Sequence[Asked]) -> tuple[str, ...]:
    cited = [one for turn in asked for one in turn.sentences]
    answerable = [turn.has_facts for turn in asked if turn.question.get("facts")]
    return (
        str(len(asked)),
        _share([turn.is_answered for turn in asked]),
        _share(cited),
        str(sum(turn.reply.added for turn in asked)),
        _share(answerable),
        _share([turn.is_in_language for turn in asked]),
        f"{statistics.median(turn.reply.seconds for turn in asked):.1f}",
    )


def _share(held: Sequence[bool]) -> str:
    return f"{sum(held)}/{len(held)}"


def main() -> int:
    """Ask and print; 1 when a turn has no answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--every-face", action="store_true", help="each question over each face")
    parser.add_argument("--base-url", help="a server that runs; default: llama.cpp's, started")
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--window-tokens", type=int, default=WINDOW_TOKENS)
    given = parser.parse_args()
    with (
        _server(given.base_url) as base_url,
        gateway(base_url, given.model, given.window_tokens) as url,
    ):
        asked = asyncio.run(ask_all(url, given.questions, every_face=given.every_face))
    print(f"\n{table(asked)}\n\nkinds of answers: {dict(Counter(o.reply.kind for o in asked))}")
    print(f"citations by check: {dict(Counter(c for o in asked for c in o.reply.checks))}")
    return not all(one.is_answered for one in asked)


@contextmanager
def _server(base_url: str | None) -> Iterator[str]:
    if base_url:
        yield base_url
        return
    with llama_server() as url:
        yield url


if __name__ == "__main__":
    sys.exit(main())
