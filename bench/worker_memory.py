"""Memory of one extraction worker over many pages: resident MiB after every tenth of them.

    python bench/worker_memory.py PAGES [--count 2000]

PAGES is a folder of HTML files, each compressed by gzip or not, read over and over until COUNT
pages are done. The pool renews a worker after 500 pages; here it lives on, so that a leak shows.
"""

import argparse
import gzip
import json
import subprocess
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from pellucid_fetcher.adapters.worker_pool import WORKER
from pellucid_fetcher.extraction.reading.worker import FRAME, READY

_HEADER: Final = {"url": "https://www.lantern.example/page", "content_type": "text/html"}


def main() -> None:
    """Feed a worker and print its memory."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("pages", type=Path)
    options.add_argument("--count", type=int, default=2_000)
    chosen = options.parse_args()
    files = sorted(chosen.pages.glob("*.html*"))
    with subprocess.Popen(WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdin
        assert worker.stdout
        assert worker.stdout.read(1) == READY
        print(f"{'pages':>6} {'MiB':>6}\n{0:6} {resident_mib(worker.pid):6.0f}")
        for number, file in enumerate(islice(cycle(files), chosen.count), 1):
            header, body = json.dumps(_HEADER).encode(), _read(file)
            worker.stdin.write(FRAME.pack(len(header), len(body)) + header + body)
            worker.stdin.flush()
            worker.stdout.read(FRAME.unpack(worker.stdout.read(FRAME.size))[0])
            if number % max(1, chosen.count // 10) == 0:
                print(f"{number:6} {resident_mib(worker.pid):6.0f}")
        worker.stdin.close()


def _read(file: Path) -> bytes:
    return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()


def resident_mib(pid: int) -> float:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
