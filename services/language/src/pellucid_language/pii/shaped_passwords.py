"""Passwords told by their form alone, where a message speaks of signing in somewhere.

People say that they sign in with a value in more ways than any list has ("entro con …",
"…なんです"). A token that mixes words, digits and signs as passwords do, in a message about an
account or a network, is one; models, error codes and references to numbers are not.
"""

import re
from collections.abc import Iterator

from pellucid_language.pii.payment_data import find_cards
from pellucid_language.pii.value_forms import REFERENCE

_SIGNING_IN = re.compile(
    r"\blog(?:ged|ging)?[ -]?(?:in|on)\b|\bsign(?:ed|ing)?[ -]?in\b|\baccounts?\b"
    r"|(?<![a-z])wi-?fi(?![a-z])|\bwlan\b"
    r"|\brouter\b|\bpass(?:word|code|phrase|wort)|\bkonto\b|\banmeld|\beinlogg|\bconnexion\b"
    r"|\bconnecter\b|\bcompte\b|\bidentifiant|\blivebox\b|\bcuenta\b|\bcorreo\b|\bcontraseñ"
    r"|\b(?:use|utilise|uso|nutze|benutze)\b.{0,40}\b(?:everywhere|partout|überall|todas? partes)\b"
    r"|\btyp(?:ing|ed)\b|\breinkomm|\bgastzugang\b|\bsésame\b|\bbox\b|\bLAN\b|들어갈 때|비번"
    r"|로그인|와이파이|계정|공유기|ログイン|アカウント|ルーター|登录|登錄|登不上|路由器|账号|帳號|帐号"
    r"|\bmap the drive\b|\bespace (?:client|ameli|personnel|perso)\b|홈택스|인증",
    re.IGNORECASE,
)
_BEGIN, _END = r"(?<![A-Za-z0-9/@.:=_#-])", r"(?![A-Za-z0-9/@:=_-])"
_SHAPED = re.compile(
    rf"{_BEGIN}(?:"
    # Gato_Pardo#31, haneul!2024, Apfelkuchen2019!
    r"(?=[^\s!#$%&*^~]*[a-z]{3})[A-Za-z][A-Za-z0-9_-]{3,30}(?:[!#$%&*^~][A-Za-z0-9!#$%&*^~_-]*\d[\w!]*"
    r"|\d{2,8}[!$%&*^~]+)"
    # tanuki2026go
    r"|[a-z]{4,20}\d{3,8}[a-z]{1,12}"
    # Mandarina.Verde.63, ulme-regen-42-fuchs
    r"|[A-Z][a-z]{3,20}(?:[.-][A-Z][a-z]{2,20}){1,4}[.-]?\d{2,8}"
    r"|[A-Za-z]{3,20}(?:[-_][a-z]{2,20}){1,4}[-_]\d{2,8}(?:[-_][a-z]{3,20})?"
    # Tudou@2046xz, dalgona77!@
    r"|[A-Z][a-z]{3,12}@\d{3,6}[a-z]{1,6}|[a-z]{4,16}\d{2,6}[!$%&*^~@]{2,4}"
    # otter20480913, kT9mQz4vXw2RbLd7
    r"|[a-z]{4,20}\d{6,8}|(?=[a-z\d]*[A-Z])(?=[A-Z\d]*[a-z])(?=(?:[A-Za-z]*\d){3})[A-Za-z0-9]{14,40}"
    # kettle-Frog-77, admin_7788
    r"|[A-Za-z]{3,20}[-_][A-Z][a-z]{2,20}[-_]?\d{2,8}|[a-z]{4,20}_\d{3,8}"
    rf"){_END}"
)
# What stands on a card beside its number.
_EXPIRY = re.compile(r"[^\d\n]{0,30}?((?:0[1-9]|1[0-2])\s?/\s?(?:20)?\d{2})(?!\d)")


def find_shaped_passwords(text: str) -> Iterator[tuple[int, int]]:
    """Yield where such passwords stand."""
    if _SIGNING_IN.search(text):
        for match in _SHAPED.finditer(text):
            if not REFERENCE.match(match[0]):
                yield match.span()


def find_expiry_dates(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a card's last month of use stands behind its number."""
    if "/" in text:
        for _, end in find_cards(text):
            if match := _EXPIRY.match(text, end):
                yield match.span(1)
