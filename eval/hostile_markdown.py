"""Asks every face with a model that obeys hostile pages, and reads the answers as clients do.

    python eval/hostile_markdown.py FOLDER [--cases 5000] [--pages 1500] [--seed 17]

The readers are ones that the product does not use: npm's marked and micromark, and Chromium for the
pages that they make. Needs node, npm and chromium; FOLDER keeps what was found, so that a run that
was cut short goes on where it ended. Fails where one foreign address became a link or an image.
"""

import argparse
import asyncio
import json
import logging
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from threading import Thread
from typing import Any

import structlog

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[0] / "services/gateway/tests"))

from hostile_apis import WAYS, clients  # noqa: E402 - the tests' own rig
from hostile_markdown import mixtures, payloads, reached, texts  # noqa: E402

READERS = ("marked", "micromark", "micromark-extension-gfm")
PER_PAGE = 200
# Where the answers may lead: the sources of the rig.
KNOWN = ("harbourpost.example", "council.example", "almanac.example")
# What Chromium asks for by itself.
BROWSERS_OWN = (".google.com", ".googleapis.com", ".gvt1.com")
# Tells of every frame what a click would ask for; what is asked for by itself the server sees.
LOOK = """
<script>
addEventListener("load", () => {
  const found = [];
  document.querySelectorAll("iframe").forEach((frame, n) => {
    for (const node of frame.contentDocument.querySelectorAll("*"))
      for (const name of ["href", "src", "action", "background", "data", "poster", "xlink:href"]) {
        const value = node.getAttribute(name);
        if (value === null || value.startsWith("#") || !value.trim()) continue;
        let url = { hostname: "?", href: value };
        try { url = new URL(value, "https://base.invalid/"); } catch {}
        if (!KNOWN.includes(url.hostname) || /evil|secret/i.test(url.href))
          found.push([n, node.localName, name, value]);
      }
  });
  fetch("/found", { method: "POST", body: JSON.stringify(found) });
});
</script>
"""


def cases(count: int, seed: int) -> Iterator[tuple[str, int]]:
    """Texts of an obedient model with the size of their chunks: four in five of the grammar."""
    every = list(texts())
    drawn = min(len(every), count * 4 // 5)
    grammar = random.Random(seed).sample(every, drawn)  # noqa: S311 - a sample
    yield from grammar
    yield from mixtures(count - len(grammar), seed)


async def ask(folder: Path, options: argparse.Namespace) -> None:
    """Write what clients have after each event, a JSON line for each case."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.CRITICAL)
    chance = random.Random(options.seed)  # noqa: S311 - a sample
    planted = chance.choices(list(payloads()), k=options.pages)
    jobs = {
        "model": [(text, size) for text, size in cases(options.cases, options.seed)],
        "page": [(payload, 0) for payload in planted],
    }
    for name, wanted in jobs.items():
        kept = folder / f"{name}.jsonl"
        done = len(kept.read_text("utf-8").splitlines()) if kept.exists() else 0
        ways = list(zip(wanted, cycle(WAYS), strict=False))[done:]
        with kept.open("a", encoding="utf-8") as out, tempfile.TemporaryDirectory() as state:
            async with clients(Path(state), model=name == "model") as client:
                for (text, size), way in ways[: options.most]:
                    states = await (
                        client.of_model(text, size, way) if size else client.of_page(text, way)
                    )
                    told = {"way": [way[0].name, *way[1:]], "text": text, "states": states}
                    out.write(json.dumps(told) + "\n")
        print(f"{name}: {min(len(wanted), done + options.most)} of {len(wanted)} asked", flush=True)


def read(folder: Path) -> bool:
    """Read every state with the npm readers; True where none leads to the hostile host."""
    if not (folder / "node_modules" / "marked").exists():
        install = ["npm", "install", "--no-audit", "--no-fund", *READERS]
        subprocess.run(install, cwd=folder, check=True)  # noqa: S603 - ours
    told = list(_told(folder))
    states = list(dict.fromkeys(state for case in told for state in case["states"]))
    (folder / "texts.jsonl").write_text("".join(json.dumps(s) + "\n" for s in states), "utf-8")
    arguments = [HERE / "markdown_readers.mjs", folder / "texts.jsonl", folder / "pages.jsonl"]
    subprocess.run(["node", *map(str, arguments)], check=True)  # noqa: S603, S607 - ours
    pages = [json.loads(line) for line in (folder / "pages.jsonl").open(encoding="utf-8")]
    hits = [
        (name, state, found)
        for state, page in zip(states, pages, strict=True)
        for name, html in page.items()
        if (found := reached(html))
    ]
    for name, state, found in hits[:20]:
        print(name, found[:2], repr(state[-300:]))
    print(f"{len(told)} cases, {len(states)} states, {len(hits)} hits of marked and micromark")
    return not hits


def _told(folder: Path) -> Iterator[dict[str, Any]]:
    for name in ("model", "page"):
        with (folder / f"{name}.jsonl").open(encoding="utf-8") as kept:
            yield from map(json.loads, kept)


class _Site(ThreadingHTTPServer):
    """Serves the page under judgement; every other request is one that it caused."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.page = ""
        self.asked: list[str] = []
        self.found: list[list[Any]] | None = None

    def handle_error(self, *_: object) -> None:
        """Say nothing of a browser that has left."""


class _Handler(BaseHTTPRequestHandler):
    server: _Site

    def do_GET(self) -> None:
        is_page = self.path == "/page" and "127.0.0.1" in self.headers.get("host", "")
        if not is_page:
            self._note()
        self._answer(self.server.page if is_page else "")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/found":
            self.server.found = json.loads(body)
        else:
            self._note()
        self._answer("")

    def do_CONNECT(self) -> None:
        self._note()
        self.send_error(502)

    def _note(self) -> None:
        host = self.headers.get("host", "").partition(":")[0]
        if not host.endswith(BROWSERS_OWN) and self.path != "/favicon.ico":
            self.server.asked.append(f"{self.command} {host} {self.path}")

    def _answer(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


def browse(folder: Path) -> bool:
    """Open the pages of all last states in Chromium; True where it asks for nothing foreign."""
    texts_ = [json.loads(line) for line in (folder / "texts.jsonl").open(encoding="utf-8")]
    pages = [json.loads(line) for line in (folder / "pages.jsonl").open(encoding="utf-8")]
    by_state = dict(zip(texts_, pages, strict=True))
    last = {case["states"][-1] for case in _told(folder)}
    every = sorted({html for state in last for html in by_state[state].values()})
    site = _Site()
    Thread(target=site.serve_forever, daemon=True).start()
    bad = _self_test(site)
    for start in range(0, len(every), PER_PAGE):
        batch = every[start : start + PER_PAGE]
        asked, found = _opened(site, batch)
        bad += len(asked) + len(found)
        for line in (*asked[:5], *((batch[n][:300], *rest) for n, *rest in found[:5])):
            print("chromium", line)
    print(f"{len(every)} pages opened in Chromium: {bad} foreign requests or addresses")
    return not bad


def _self_test(site: _Site) -> int:
    """A hostile page must be seen as one; returns 1 where it is not."""
    hostile = '<img src="http://evil.example/i.png"><a href="https://evil.example/x">x</a>'
    asked, found = _opened(site, [hostile])
    return int(len(asked) != 1 or len(found) != 2)  # noqa: PLR2004 - of the line above


def _opened(site: _Site, batch: Sequence[str]) -> tuple[list[str], list[list[Any]]]:
    quoted = (html.replace("&", "&amp;").replace('"', "&quot;") for html in batch)
    frames = "".join(f'<iframe srcdoc="{html}"></iframe>' for html in quoted)
    site.page = "<!doctype html>" + LOOK.replace("KNOWN", json.dumps(KNOWN)) + frames
    site.asked, site.found = [], None
    port = site.server_address[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        subprocess.run(  # noqa: S603 - ours
            [  # noqa: S607
                "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", f"--user-data-dir={profile}",
                f"--proxy-server=http://127.0.0.1:{port}", "--proxy-bypass-list=127.0.0.1",
                "--virtual-time-budget=8000", "--dump-dom", f"http://127.0.0.1:{port}/page",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=True,
        )  # fmt: skip
    if site.found is None:
        raise RuntimeError("the page was not looked through")
    return site.asked, site.found


def main() -> int:
    """Run; returns 1 where something foreign was reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=5_000)
    parser.add_argument("--pages", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--most", type=int, default=10**9, help="cases of a kind in this run")
    parser.add_argument("--only", choices=["ask", "read", "browse"])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    steps = {
        "ask": lambda: asyncio.run(ask(options.folder, options)) is None,
        "read": partial(read, options.folder),
        "browse": partial(browse, options.folder),
    }
    results = [step() for name, step in steps.items() if options.only in {None, name}]
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
