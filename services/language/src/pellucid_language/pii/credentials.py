"""Keys, tokens and passwords, told by their prefixes, their form or the name before them."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from pellucid_language.pii.dense_values import find_dense_values
from pellucid_language.pii.passwords import find_passwords
from pellucid_language.pii.private_forms import find_private_forms
from pellucid_language.pii.shaped_passwords import find_expiry_dates, find_shaped_passwords
from pellucid_language.pii.stated_values import find_stated_values
from pellucid_language.pii.surroundings import find_told_secrets
from pellucid_language.scripts import HAN, HANGUL, KANA

# Prefixes as the issuing services document them.
_PREFIXED = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:
      sk-[A-Za-z0-9_-]{16,} | (?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}
    | whsec_[A-Za-z0-9+/=]{16,}
    | (?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[0-9A-Z]{12,}
    | gh[pousr]_[A-Za-z0-9]{16,} | github_pat_[A-Za-z0-9_]{20,}
    | gl(?:pat|ptt|rt|dt)-[A-Za-z0-9_-]{16,}
    | xox[abeoprs]-[A-Za-z0-9-]{8,} | xapp-[A-Za-z0-9-]{10,}
    | AIza[0-9A-Za-z_-]{20,} | ya29\.[0-9A-Za-z_-]{16,} | GOCSPX-[0-9A-Za-z_-]{16,}
    | hf_[A-Za-z0-9]{16,} | npm_[A-Za-z0-9]{20,} | pypi-[A-Za-z0-9_-]{20,} | tvly-[A-Za-z0-9_-]{12,}
    | SG\.[A-Za-z0-9_-]{12,}\.[A-Za-z0-9_-]{12,} | key-[0-9a-f]{24,} | dop_v1_[0-9a-f]{32,}
    | shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{24,} | AC[0-9a-f]{32} | SK[0-9a-f]{32}
    | gsk_[A-Za-z0-9]{20,}
    | ATATT[A-Za-z0-9_=-]{16,} | lin_api_[A-Za-z0-9]{20,} | r8_[A-Za-z0-9]{20,}
    | pplx-[A-Za-z0-9]{20,}
    | dckr_pat_[A-Za-z0-9_-]{16,} | sbp_[0-9a-f]{20,} | nvapi-[A-Za-z0-9_-]{20,}
    | BSA[A-Za-z0-9_-]{24,}
    | hvs\.[A-Za-z0-9_-]{16,} | glsa_[A-Za-z0-9_]{20,} | glc_[A-Za-z0-9+/=]{20,}
    | dapi[0-9a-f]{32}
    | NRAK-[A-Z0-9]{20,} | PMAK-[0-9a-f]{20,}-[0-9a-f]{20,} | figd_[A-Za-z0-9_-]{20,}
    | ntn_[A-Za-z0-9]{20,} | secret_[A-Za-z0-9]{30,} | sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}
    | EAA[A-Za-z0-9]{40,}
    | rzp_(?:live|test)_[A-Za-z0-9]{10,} | [ps]k\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}
    | do[or]_v1_[0-9a-f]{32,} | sntry[su]_[A-Za-z0-9_=+/-]{20,}
    | xkeysib-[0-9a-f]{32,}-[A-Za-z0-9]{8,}
    | AGE-SECRET-KEY-1[A-Z0-9]{40,} | xai-[A-Za-z0-9]{20,} | fw_[A-Za-z0-9]{20,}
    | pat-(?:na|eu)1-[0-9a-f-]{30,}
    | ph[cx]_[A-Za-z0-9]{30,} | LTAI[A-Za-z0-9]{12,} | AKID[A-Za-z0-9]{20,}
    | CFPAT-[A-Za-z0-9_-]{20,}
    | ops_eyJ[A-Za-z0-9_-]{20,} | 1//0[A-Za-z0-9_-]{20,} | xprv[1-9A-HJ-NP-Za-km-z]{60,}
    | [MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}
    | sl\.(?:u\.)?[A-Za-z0-9_-]{60,} | pat[A-Za-z0-9]{14}\.[0-9a-f]{64} | [0-9a-f]{32}-us\d{1,2}
    | dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[A-Za-z0-9_-]{1,40}\.)?[A-Za-z0-9]{36,}
    | \d{8,10}:AA[A-Za-z0-9_-]{30,}
    | eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*){1,3}
    | eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}
    )""",
    re.VERBOSE,
)
_PEM = re.compile(
    r"-----\s*BEGIN [A-Z0-9 ]*(?:PRIVATE KEY|CERTIFICATE)[A-Z ]*-----"
    r".*?(?:-----\s*END [A-Z0-9 ]*-----|$)",
    re.DOTALL,
)
_WEBHOOK = re.compile(
    r"(?<=hooks\.slack\.com/)services/[A-Za-z0-9/]{20,}"
    r"|(?<=/api/webhooks/)\d{10,}/[A-Za-z0-9_-]{20,}"
)
# A long run of mixed letters and digits is chosen by a machine; digests in hexadecimal are not it.
_MACHINE_MADE = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{32,}={0,2}(?![A-Za-z0-9+/=_-])")
# Digests, addresses of wallets: made to be shown.
_PUBLIC = re.compile(r"(?:0x)?[0-9A-Fa-f]+|[13][1-9A-HJ-NP-Za-km-z]{25,34}|bc1[0-9a-z]+")
_FEWEST_DIGITS = 3
_FEWEST_SWITCHES = 8
_USER_INFO = re.compile(r"(?<=://)[^\s/@?#]{1,256}@(?=[^\s/@])")
_BEARER = re.compile(
    r"\b(?:Bearer|Basic|Token)\s+(?P<value>[A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE
)
_NAMED = re.compile(
    r"""(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,32}[_.-])?(?P<name>
      api[_ -]?key|apikey|access[_-]?key(?:[_-]?id)?|secret[_-]?key|private[_-]?key|account[_-]?key
    | (?:access|auth|refresh|id|bearer|session|csrf|api)[_-]?token|token|client[_-]?secret|secret
    | pass(?:word|wd|phrase|code)|pwd|contraseña|mot\ de\ passe|passwort|kennwort
    | 비밀번호|密码|密碼|パスワード
    | session|cookie|sig|signature|session[_-]?id|sid|x-amz-signature
    )["']?\s*(?P<sign>:=|=>|=|:|：)\s*["']?(?P<value>[^\s"'&,;]{4,})""",
    re.VERBOSE | re.IGNORECASE,
)
# "my password is …", "--password …": what follows the name without a sign.
_SAID = re.compile(
    r"""(?<![A-Za-z0-9])(?P<flag>--?)?(?:[A-Za-z0-9]{1,32}[_-])?(?:
      api[_ -]?key|apikey|(?:access|secret|private|account)[_ -]?key|(?:access|auth|api)[_ -]?token
    | token|secret|pass(?:word|wd|phrase|code)|pwd|contraseña|mot\ de\ passe|passwort|kennwort)
    (?P<verb>\s+(?:is|was|are|ist|lautet|est|es)\s*:?)?\s+["']?(?P<value>[^\s"',;]{6,})""",
    re.VERBOSE | re.IGNORECASE,
)
_MYSQL_FLAG = re.compile(r"(?<=\s)-p(?P<value>[^\s-][^\s]{5,})")
# "curl -u user:password"; numbers on both sides are ids of a user and a group.
_USER_FLAG = re.compile(
    r"(?<=\s)(?:-u\s*|--user[\s=]+)(?P<value>[\"']?[^\s:\"']{1,64}:[^\s\"']{4,256})"
)
_FETCHING = re.compile(r"\b(?:curl|wget|https?|xh)\b", re.IGNORECASE)
_TYPED_IN_SPEECH = re.compile(
    rf"[은는을를이가はがをにで是为為]?(?P<typed>[!-~]{{4,}})(?=[{HANGUL}{KANA}{HAN}])"
)
# After a colon people also write prose ("token: how to renew it"); a secret has digits or signs.
_SHORTEST_PROSE_FREE = 6
_LONG_VALUE = 20
# Values that stand in examples and error messages, not in anybody's account.
_PLACEHOLDERS = frozenset(
    {"null", "none", "true", "false", "undefined", "xxxx", "string", "required"}
)


def find_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Yield where secrets stand; overlapping places are joined."""
    end = -1
    start = -1
    for first, last in sorted(_closed(text, *place) for place in _all_places(text)):
        if first <= end:
            end = max(end, last)
            continue
        if end > 0:
            yield start, end
        start, end = first, last
    if end > 0:
        yield start, end


def _all_places(text: str) -> Iterator[tuple[int, int]]:
    for pattern, group, is_secret in _KINDS:
        for match in pattern.finditer(text):
            if is_secret(match):
                yield match.span(group)
    yield from find_told_secrets(text)
    yield from find_passwords(text)
    yield from find_stated_values(text)
    yield from find_dense_values(text)
    yield from find_shaped_passwords(text)
    yield from find_expiry_dates(text)
    yield from find_private_forms(text)


def _closed(text: str, start: int, end: int) -> tuple[int, int]:
    """A place without the sentence around a value where no blank parts them."""
    typed = _TYPED_IN_SPEECH.match(text, start, end)
    return typed.span("typed") if typed else (start, end)


def _always(_match: re.Match[str]) -> bool:
    return True


def _holds_digit(match: re.Match[str]) -> bool:
    return any(char.isdigit() for char in match["value"])


def _is_mysql(match: re.Match[str]) -> bool:
    return "mysql" in match.string.lower()


def _is_log_in(match: re.Match[str]) -> bool:
    numbers = match["value"].replace(":", "").isdigit()
    return not numbers and _FETCHING.search(match.string) is not None


def _is_machine_made(match: re.Match[str]) -> bool:
    """Tell a random string from an identifier in code: its kinds of characters alternate."""
    value = match[0]
    if _PUBLIC.fullmatch(value):
        return False
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in value if c.isalnum()]
    switches = sum(one != other for one, other in pairwise(kinds))
    mixed = {"u", "l"} <= set(kinds) and kinds.count("d") >= _FEWEST_DIGITS
    return mixed and switches >= max(_FEWEST_SWITCHES, len(kinds) // 4)


def _is_said(match: re.Match[str]) -> bool:
    """Without a sign or verb only what no word looks like is taken for a secret."""
    value = match["value"]
    has_digit = any(char.isdigit() for char in value)
    has_other = any(not char.isdigit() for char in value)
    if match["flag"] or match["verb"]:
        return has_digit and has_other
    return has_digit and has_other and len(value) >= _LONG_VALUE


def _is_value(match: re.Match[str]) -> bool:
    value, sign = match["value"], match["sign"]
    bare = value.strip("<>[]{}()*.").lower()
    if len(bare) < 4 or bare in _PLACEHOLDERS or value.startswith(("$", "{{", "<", "%")):  # noqa: PLR2004 - as short as a secret gets
        return False
    if sign not in {":", "："}:
        return True
    mixed = not bare.isalpha() and any(char.isdigit() or not char.isalnum() for char in bare)
    return (mixed and len(bare) >= _SHORTEST_PROSE_FREE) or len(bare) >= _LONG_VALUE


_KINDS: tuple[tuple[re.Pattern[str], int | str, Callable[[re.Match[str]], bool]], ...] = (
    (_PEM, 0, _always),
    (_PREFIXED, 0, _always),
    (_USER_INFO, 0, _always),
    (_WEBHOOK, 0, _always),
    (_MACHINE_MADE, 0, _is_machine_made),
    (_BEARER, "value", _holds_digit),
    (_NAMED, "value", _is_value),
    (_SAID, "value", _is_said),
    (_MYSQL_FLAG, "value", _is_mysql),
    (_USER_FLAG, "value", _is_log_in),
)
