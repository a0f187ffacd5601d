"""Which scripts a text is written in, as far as scoring must know."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from functools import lru_cache

EVERY_SCRIPT = "all"
"""In a model's list of scripts: it was trained on all of them."""

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA = "\u3040-\u309f"
KATAKANA = "\u30a0-\u30ff"
KANA = f"{HIRAGANA}{KATAKANA}"
JAMO = "\u1100-\u11ff\u3130-\u318f"
"""Parts of Korean syllables, which stand alone where somebody laughs or cries."""

HANGUL = f"{JAMO}\uac00-\ud7af"
EAST_ASIAN = f"{HAN}{KANA}{HANGUL}"
"""Letters of Chinese, Japanese and Korean, for a character class of an expression."""

THAI = "\u0e00-\u0e7f"
_SOUTH_EAST_ASIAN = f"{THAI}\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"
RUN_ON = re.compile(rf"[{HAN}{KANA}{_SOUTH_EAST_ASIAN}]")
"""Han, kana, Thai, Lao, Burmese, Khmer: no blanks stand between words."""

SPACELESS = re.compile(rf"[{EAST_ASIAN}{_SOUTH_EAST_ASIAN}]")
"""Han, kana, Hangul, Thai, Lao, Burmese, Khmer: words are not (only) bounded by spaces."""

BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
"""Those of ASCII."""

LONGEST_LOOK = 2048
"""Characters that are looked at to tell the script of a text; beyond that it seldom changes."""


def is_spaceless(text: str) -> bool:
    """Tell whether a text has letters of a script whose words spaces do not bound."""
    return SPACELESS.search(text) is not None


def is_read_by(scripts: Collection[str], text: str) -> bool:
    """Tell whether at least half of a text's letters are of the given scripts.

    A text without letters (numbers, emojis) is read by every model.

    Args:
        scripts: Names as Unicode spells them, for example ``LATIN``; or ``all``.
        text: Any text.
    """
    if EVERY_SCRIPT in scripts or text.isascii():
        return True
    look = text[:LONGEST_LOOK]
    counts = Counter(map(script_of, BEYOND_ASCII.findall(look)))
    del counts[""]
    # Counted at once, since most texts are of nothing else but for a quotation mark.
    counts["LATIN"] += len(look.encode("ascii", "ignore").translate(None, NO_LETTERS))
    known = sum(count for script, count in counts.items() if script in scripts)
    return 2 * known >= counts.total()


@lru_cache(maxsize=4096)
def script_of(char: str) -> str:
    """Return the first word of a letter's Unicode name, which is its script; empty for others.

    >>> script_of("a"), script_of("ß"), script_of("가"), script_of("7")
    ('LATIN', 'LATIN', 'HANGUL', '')
    """
    if not char.isalpha():
        return ""
    return unicodedata.name(char, "").partition(" ")[0]
