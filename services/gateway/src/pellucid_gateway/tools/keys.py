"""Makes, lists and revokes API keys: `pellucid-gateway-key NAME`, `--revoke NAME`, `--list`.

A new key is shown once. With `--file` its line is written into the key file; else it is printed.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pellucid_gateway.access.api_keys import digest_of, new_key, parse_line

_OWNER_ONLY = 0o600


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the arguments say; exits with 2 and one line when they do not fit."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if (asked.revoke or asked.list) and asked.file is None:
        parser.error("--revoke and --list need --file")
    if asked.list:
        _list(asked.file)
    elif asked.revoke:
        _revoke(parser, asked.file, asked.revoke)
    elif asked.name:
        _add(parser, asked)
    else:
        parser.error("a name is needed")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pellucid-gateway-key", description=__doc__)
    parser.add_argument("name", nargs="?", help="name of the new key, without spaces")
    parser.add_argument("--file", type=Path, help="key file (GATEWAY_KEYS_FILE)")
    parser.add_argument("--expires-days", type=int, help="days after which the key ends")
    parser.add_argument("--scopes", help="of chat, search, fetch, stats; a comma list")
    parser.add_argument("--providers", help="search providers it may use; a comma list")
    parser.add_argument("--budget-usd", help="cost of a day in US dollars")
    parser.add_argument("--searches-per-day", help="searching turns of one person")
    parser.add_argument("--requests-per-minute", help="requests with this key")
    parser.add_argument("--revoke", metavar="NAME", help="remove the keys of this name")
    parser.add_argument("--list", action="store_true", help="names and options, no secrets")
    return parser


def _add(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> None:
    token = new_key()
    line = _line(asked, digest_of(token))
    try:
        parse_line(line)
    except ValueError as error:
        parser.error(str(error))
    sys.stdout.write(f"key (shown once): {token}\n")
    if asked.file is None:
        sys.stdout.write(f"line for the key file: {line}\n")
    else:
        _write(asked.file, [*_lines(asked.file), line])


def _line(asked: argparse.Namespace, digest: str) -> str:
    now = datetime.now(UTC)
    words = [asked.name, digest]
    if asked.expires_days is not None:
        words.append((now + timedelta(days=asked.expires_days)).isoformat(timespec="seconds"))
    for option in ("scopes", "providers", "budget_usd", "searches_per_day", "requests_per_minute"):
        value = getattr(asked, option)
        if value is not None:
            words.append(f"{option}={value}")
    return " ".join([*words, f"created={now.date().isoformat()}"])


def _list(path: Path) -> None:
    for line in _lines(path):
        name, _digest, *options = [*line.partition("#")[0].split(), "", ""]
        if name:
            sys.stdout.write(" ".join([name, *options]).rstrip() + "\n")


def _revoke(parser: argparse.ArgumentParser, path: Path, name: str) -> None:
    lines = _lines(path)
    kept = [line for line in lines if line.split()[:1] != [name]]
    if kept == lines:
        parser.error(f"no key is called {name}")
    _write(path, kept)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _write(path: Path, lines: Sequence[str]) -> None:
    """Replace the file in one step, so that a gateway never reads half of it."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    fresh.chmod(_OWNER_ONLY)
    os.replace(fresh, path)  # noqa: PTH105 - one atomic step


if __name__ == "__main__":
    main()
