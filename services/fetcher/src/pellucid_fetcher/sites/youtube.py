"""YouTube: the title and description of a video, with what is said in it.

The key of the player stands in the page of the video, the player tells where the subtitles are, and
those are asked for last. Subtitles that people wrote are preferred to recognised speech, those in
the language of the speech to others. Source: the requests of youtube-transcript-api 1.2.5 (MIT).
Not run against the live service.
"""

import html
import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import SplitResult, parse_qs

from pellucid_fetcher.sites.port import (
    Asked,
    Post,
    SitePage,
    at,
    instant,
    list_at,
    required,
    text_at,
)

NAME: Final = "youtube"
_HOSTS: Final = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com"})
_VIDEO: Final = re.compile(r"[\w-]{11}")
_IN_PATH: Final = ("/shorts/", "/live/", "/embed/")
_SITE: Final = "https://www.youtube.com"
_KEY: Final = re.compile(r'"INNERTUBE_API_KEY":\s*"([\w-]+)"')
_DAY: Final = re.compile(r'itemprop="datePublished" content="([^"]+)"')
# The app's player; subtitles of the browser's player are given to browsers only.
_CLIENT: Final = {"client": {"clientName": "ANDROID", "clientVersion": "20.10.38"}}
_CUE: Final = re.compile(r'<text start="([\d.]+)"[^>]*>(.*?)</text>', re.DOTALL)
_PARAGRAPH_S: Final = 60.0


def questions(url: SplitResult) -> Sequence[str]:
    """Return the address of a video's page."""
    video = _video(url)
    return (f"{_SITE}/watch?v={video}",) if video else ()


def read(url: SplitResult, answers: Sequence[Any]) -> SitePage | Sequence[Asked]:
    """Ask for the player, then for the subtitles, and read all three.

    Raises:
        FetchFault: NO_TEXT when the player tells of no video.
    """
    page, *later = answers
    if not later:
        key = required("".join(_KEY.findall(page)[:1]) if isinstance(page, str) else "")
        asked = {"context": _CLIENT, "videoId": _video(url)}
        return (Post(f"{_SITE}/youtubei/v1/player?key={key}", asked),)
    player, *subtitles = later
    if not subtitles and (track := _track(player)):
        return (track,)
    return SitePage(
        required(text_at(player, "videoDetails", "title")),
        required(_body(text_at(player, "videoDetails", "shortDescription"), *subtitles)),
        author=text_at(player, "videoDetails", "author"),
        published=instant("".join(_DAY.findall(page)[:1])),
    )


def _video(url: SplitResult) -> str:
    """Return the name of the video that an address is of; empty for none."""
    told = ""
    if url.hostname == "youtu.be":
        told = url.path[1:]
    elif url.hostname in _HOSTS and url.path == "/watch":
        told = parse_qs(url.query).get("v", [""])[0]
    elif url.hostname in _HOSTS and url.path.startswith(_IN_PATH):
        told = url.path.split("/")[2]
    return told if _VIDEO.fullmatch(told) else ""


def _track(player: Any) -> str:
    """Return the address of the best subtitles that this site has; empty for none."""
    tracks = list_at(player, "captions", "playerCaptionsTracklistRenderer", "captionTracks")
    spoken = {text_at(track, "languageCode") for track in tracks if at(track, "kind") == "asr"}
    best = min(
        (track for track in tracks if text_at(track, "baseUrl").startswith(f"{_SITE}/")),
        key=lambda track: (
            text_at(track, "languageCode") not in spoken,
            at(track, "kind") == "asr",
        ),
        default=None,
    )
    return text_at(best, "baseUrl").replace("&fmt=srv3", "")


def _body(description: str, subtitles: Any = None) -> str:
    """Write a description and, below a heading, what is said, a paragraph for each minute."""
    minutes: dict[int, list[str]] = {}
    for start, cue in _CUE.findall(subtitles) if isinstance(subtitles, str) else ():
        # Escaped twice: once as XML, once as the HTML of the subtitles.
        said = re.sub(r"<[^>]*>", "", html.unescape(html.unescape(cue)))
        minutes.setdefault(int(float(start) // _PARAGRAPH_S), []).append(said)
    told = [html.escape(" ".join(" ".join(said).split())) for said in minutes.values()]
    heading = "<h2>Transcript</h2>" if told else ""
    lines = html.escape(description).replace("\n", "<br>")
    return f"<p>{lines}</p>" * bool(lines) + heading + "".join(f"<p>{each}</p>" for each in told)
