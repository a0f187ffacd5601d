"""Values with the form of a password, wherever they stand in a text that speaks of one.

People put them before the word as well as after it ("can hackers guess …? it's my gmail password"),
in brackets, behind a user name. Where a password is spoken of, a value counts that looks like
nothing else: letters and digits with a sign, digits inside a word, capitals inside one with digits.
"""

import re
from bisect import bisect
from collections.abc import Iterator

SPOKEN_OF = re.compile(
    r"\b(?:pass(?:words?|wd|phrases?|codes?|w[oö]rt\w*)|pwd?|kennw[oö]rt\w*|wachtwoord\w*|contraseñas?"
    r"|clave|mots? de passe|mdp|senhas?|hasł\w+|парол\w+|credentials|zugangsdaten|identifiants)\b"
    r"|비밀번호|비번|패스워드|密码|密碼|口令|パスワード|暗証番号",
    re.IGNORECASE,
)
# How far from the word a value may stand.
_NEAR = 80
_TOKEN = re.compile(r"\S+")
_MAIL = re.compile(r"[^@]+@[\w-]+(?:\.[\w-]+)+[.,;:!?)\]]*")
_PATH = re.compile(r"(?:~|\.{0,2})/")
_VALUE = re.compile(r"[\wÀ-ÿ!@#$%^&*+~?.-]{6,64}", re.ASCII)
_SIGN = re.compile(r"[!@#$%^&*+~?](?=.)|[!@#$%^&*+~]$")
_INSIDE = re.compile(r"[^\W\d_]\d+[^\W\d_]|[^\W\d_]_\d|\d_[^\W\d_]")
_ODD_CASE = re.compile(r"[a-zß-ÿ][\w-]*[A-ZÀ-Þ]|[A-ZÀ-Þ][\w-]*[a-zß-ÿ]\d*[A-ZÀ-Þ]")
# Names in which letters, digits and signs meet, though nobody's password.
_NAMES = re.compile(
    r"(?:sha|md|base|utf|aes|rsa|ed|curve|argon|pbkdf|b?s?crypt|hs|rs|es|x|p|pkcs|wpa|win|windows|ios|ipv"
    r"|http|oauth|log|neo|web|office|python|php|java|mysql|postgres(?:ql)?|ubuntu|debian|iphone|ipad"
    r"|galaxy|pixel|rtx|gtx|mac|macos|android|wi-?fi|i|k|l|a|e|u|v|rfc|iso|cve|gpt|ps|xbox|fritz!box)"
    r"-?\d[\w.-]*|[a-z]+(?:[.+-]\d+)+|\d+(?:\.\d+)+\w*|[a-z]+\d+[a-z]?|\d+[a-z]+|[\w.+-]+\.(?:\w{2,4})"
    r"|[a-z]+\d{1,2}(?:pro|plus|ultra|max|mini|lite|carbon|gen\d*|fe|xl|se)+|p[a@4][s5$]{2}w[o0]rd\d*"
    r"|[a-z]+#\d*|\$\w+|%\w+%?|\d+[%$€£]|[$€£]\d[\w.]*",
    re.IGNORECASE,
)


def find_passwords(text: str) -> Iterator[tuple[int, int]]:
    """Yield where such values stand."""
    spoken = [match.span() for match in SPOKEN_OF.finditer(text)]
    if not spoken:
        return
    begins = [start for start, _ in spoken]
    for token in _TOKEN.finditer(text):
        if _is_place(token.group()):
            continue
        for match in _VALUE.finditer(text, *token.span()):
            start, end = match.start(), match.start() + len(match.group().rstrip(".?:"))
            after = bisect(begins, start)
            beside = spoken[max(0, after - 1) : after + 1]
            near = any(a - _NEAR <= start and end <= b + _NEAR for a, b in beside)
            if near and _has_its_form(text[start:end]):
                yield start, end


def _is_place(token: str) -> bool:
    """Whether a token is an address, a mail address or a path."""
    return "://" in token or bool(_MAIL.fullmatch(token)) or bool(_PATH.match(token))


def _has_its_form(value: str) -> bool:
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    if not has_digit or not has_letter or _NAMES.fullmatch(value):
        return False
    return any(form.search(value) for form in (_SIGN, _INSIDE, _ODD_CASE))
