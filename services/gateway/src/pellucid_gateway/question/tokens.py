"""How many tokens a text is to a language model, by the script of its characters.

No tokenizer ships with Pellucid: which one a server uses is known to the server alone, and the
right one of a dozen would cost more memory than the gateway. Measured instead: eight vocabularies
(OpenAI's o200k and cl100k, Qwen's, Llama 3's and 4's, DeepSeek's, Mistral's v3 and Tekken) on 60
texts: the corpus in its seven languages, translations of a web framework in 39, source text, JSON,
tables, addresses. The rates meet the middle of the seven newer vocabularies within a quarter in the
languages of the corpus and in source text; scripts in which these differ by much (Thai, Hindi,
Georgian: threefold) are counted high.
"""

import math
import string
from fractions import Fraction

# Where something of a text is left out.
GAP = "[…]"
# By how much a text may be longer than estimated before a window overflows. With it no text in any
# of 47 languages is longer in a newer vocabulary but Swahili, Armenian and Khmer (by an eighth at
# most). What no rate covers, as Base64, makes the server refuse the prompt as too long: that is
# told.
SAFETY = Fraction(7, 5)

# Tokens of a character by its first byte in UTF-8, which tells its script.
_ASCII_RATES = (
    (string.ascii_lowercase.encode(), 0.24),
    (string.ascii_uppercase.encode(), 0.36),
    (b" \t", 0.12),
    # A digit is a token with Qwen and Mistral, three digits are one with the others.
    (string.digits.encode(), 0.95),
    (bytes(set(range(0x80)) - set(f"{string.ascii_letters}{string.digits} \t".encode())), 0.5),
)
_RATES = (
    *_ASCII_RATES,
    (bytes(range(0xC2, 0xCE)), 1.0),  # accented Latin
    (bytes(range(0xCE, 0xD0)), 0.85),  # Greek
    (bytes(range(0xD0, 0xD4)), 0.55),  # Cyrillic
    (bytes(range(0xD4, 0xD6)), 1.5),  # Armenian
    (bytes(range(0xD6, 0xD8)), 0.95),  # Hebrew
    (bytes(range(0xD8, 0xE0)), 0.75),  # Arabic
    (b"\xe0", 1.4),  # Indic scripts, Thai
    (b"\xe1", 1.8),  # Georgian, Khmer, Burmese
    (bytes(range(0xE2, 0xF0)), 1.0),  # Chinese, Japanese, Hangul, symbols
    (bytes(range(0xF0, 0xF8)), 3.0),  # emoji
)
_SCRIPTS = len(_RATES)
# Each byte to the number of its script, those within a character to one that counts nothing.
_SCRIPT_OF = bytes(
    next((n for n, (first, _) in enumerate(_RATES) if byte in first), _SCRIPTS)
    for byte in range(256)
)


def tokens_of(text: str) -> int:
    """Estimated tokens, rounded up; never 0 for text.

    >>> tokens_of("The toll is 4.50 crowns."), tokens_of("통행료는 4,500원입니다.")
    (9, 13)
    """
    rates = _ASCII_RATES if text.isascii() else _RATES
    scripts = text.encode("utf-8", "replace").translate(_SCRIPT_OF)
    return math.ceil(sum(scripts.count(n) * rate for n, (_, rate) in enumerate(rates)))


def cut_middle(text: str, most_tokens: int) -> str:
    """Beginning and end of a text that is too long, cut between words; "" where there is no room.

    >>> cut_middle("one two three four five six seven eight nine ten", 8)
    'one two three … eight nine ten'
    """
    kept = len(text)
    shown = text
    while shown and tokens_of(shown) > most_tokens:
        kept = min(kept - 1, kept * max(0, most_tokens) // tokens_of(shown))
        shown = _ends(text, kept)
    return shown


def _ends(text: str, chars: int) -> str:
    head, tail = text[: chars - chars // 2], text[len(text) - chars // 2 :]
    if chars <= 1:
        return ""
    return f"{head.rsplit(None, 1)[0]} … {(tail.split(None, 1) or [''])[-1]}"
