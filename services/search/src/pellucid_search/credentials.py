"""Keys, tokens and passwords, told by their prefixes, their form or the name before them."""

import re
from collections.abc import Iterator

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
    | \d{8,10}:AA[A-Za-z0-9_-]{30,}
    | eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?
    )""",
    re.VERBOSE,
)
_PEM = re.compile(
    r"-----\s*BEGIN [A-Z0-9 ]*(?:PRIVATE KEY|CERTIFICATE)[A-Z ]*-----"
    r".*?(?:-----\s*END [A-Z0-9 ]*-----|$)",
    re.DOTALL,
)
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
    | sig|signature|session[_-]?id|sid|x-amz-signature
    )["']?\s*(?P<sign>:=|=>|=|:|：)\s*["']?(?P<value>[^\s"'&,;]{4,})""",
    re.VERBOSE | re.IGNORECASE,
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
    for first, last in sorted(_all_places(text)):
        if first <= end:
            end = max(end, last)
            continue
        if end > 0:
            yield start, end
        start, end = first, last
    if end > 0:
        yield start, end


def _all_places(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (_PEM, _PREFIXED, _USER_INFO):
        for match in pattern.finditer(text):
            yield match.span()
    for match in _BEARER.finditer(text):
        if any(char.isdigit() for char in match["value"]):
            yield match.span("value")
    for match in _NAMED.finditer(text):
        if _is_value(match["value"], match["sign"]):
            yield match.span("value")


def _is_value(value: str, sign: str) -> bool:
    bare = value.strip("<>[]{}()*.").lower()
    if len(bare) < 4 or bare in _PLACEHOLDERS or value.startswith(("$", "{{", "<", "%")):  # noqa: PLR2004 - as short as a secret gets
        return False
    if sign not in {":", "："}:
        return True
    mixed = not bare.isalpha() and any(char.isdigit() or not char.isalnum() for char in bare)
    return (mixed and len(bare) >= _SHORTEST_PROSE_FREE) or len(bare) >= _LONG_VALUE
