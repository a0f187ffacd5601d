"""Secrets told by what stands around them: "my password is …", "PIN 4821", "login x password y".

A password may look like a word. So a value counts where the person says that it is theirs, or where
it follows the name of a secret and has the form that no word has; what people say about secrets in
general ("password is incorrect") stays.
"""

import re
from collections.abc import Callable, Iterator

from pellucid_language.pii.clause_words import said_of_secrets
from pellucid_language.pii.passwords import SPOKEN_OF
from pellucid_language.pii.stated_codes import find_stated_codes
from pellucid_language.stop_words import stop_words

_STRICT = (
    r"pass(?:word|wd|phrase|code|wort)|passwords|pwd?|pass ?key|kennwort|wachtwoord|contraseña"
    r"|mot de passe|mdp|senha|hasło|пароль|wlan-(?:passwort|schlüssel)"
    r"|(?:wi-?fi|wlan|router|hotspot|gmail|admin|root|ssh|db)[ -]pass"
    r"|(?:api|secret|access|private|encryption|wifi|wi-fi|wpa2?)[ -]key"
    r"|(?:api|access|auth)[ -]?token|(?<=\bmi )clave|(?<=\bnuestra )clave"
    r"|clave (?:(?:de|del|de la) )?(?:wi-?fi|acceso|red|banco)"
)
# Words with other meanings too: "the secret is patience", "la clave es la paciencia".
_WIDER = r"secret|login|clave"
_NAME = rf"{_STRICT}|{_WIDER}"
_MINE = (
    r"my|our|his|her|their|your|this|that|the|mein(?:e[mnrs]?)?|unser\w{0,2}|dein|das|mon|ma|mes"
    r"|notre|le|mi|nuestra|tu|la|minha|meu|mijn|мой|моего|моя"
    r"|sudo|root|admin|wi-?fi|wlan|router|hotspot|bank|e?-?mail|gmail|icloud|netflix|steam|amazon|ssh"
    r"|database|server"
)
_VERB = (
    r"is|was|are|being|ist|war|lautet|lautete|est|était|es|era|é|is\ now|to|as|of|auf|zu|con|como|à"
    r"|c['’]est|it['’]?s|—|–|-"
)
_ADVERB = (
    r"(?:(?:basically|just|still|now|actually|currently|literally|einfach|noch|immer|simplement)"
    r"\s+)?"
)


# Names in which letters and digits meet, though nobody's secret.
TECHNICAL = re.compile(
    r"(?:sha|md|base|utf|rs|hs|es|aes|rsa|x|p|pkcs|wpa|win|windows|pixel|ios|ipv|http|oauth|argon|pbkdf|bcrypt|scrypt"
    r"|ed|gpt|web|auth|office|m|python|php|java|mysql|log|vista|ps|xbox|v|rfc|iso|tls|ssl|bip|fido|nist"
    r"|gen|usb|iphone|galaxy|model|chapter|step|level|gta|fallout|resident)-?\d[\w.-]*|\d*password\w*"
    r"|\d+(?:st|nd|rd|th|fa|-?(?:bit|digit|char(?:acter)?s?|factor|chars|k|letters?))|[a-z]\d",
    re.IGNORECASE,
)
_QUOTE = "[\"'“”‘’`«»「」『』]?"
_VALUE = rf"\s*{_QUOTE}(?P<value>[^\s\"“”‘’`«»「」『』]{{4,64}})"
_SAID = (
    r"(?:\s+(?:for|von|de|du|of|para|pour|on|at|für)\s+(?:[\w'.@-]+\s+){0,2}?[\w'.@-]+)?"
    rf"(?:\s*[:=：]|\s+(?:{_VERB})(?=[\s:])\s*:?)\s*{_ADVERB}{_VALUE}"
)
_OWN = re.compile(rf"\b(?:{_MINE})\s+(?:[\w'-]+\s+){{0,3}}?(?:{_STRICT})\b{_SAID}", re.IGNORECASE)
# Several plain words up to the end of the sentence: a passphrase.
_PHRASE = re.compile(
    rf"\b(?:{_MINE})\s+(?:[\w'-]+\s+){{0,3}}?"
    r"(?:pass(?:word|phrase)|kennwort|passwort|contraseña|mot de passe)"
    rf"(?:\s*[:=：]|\s+(?:is|was|ist|lautet|est|es)\b)\s*{_QUOTE}"
    r"(?P<value>[a-zß-ÿ]{3,12}(?:[ -][a-zß-ÿ]{3,12}){3,7})(?=\s*(?:$|[\"'”.,;!?\n]))",
    re.IGNORECASE,
)
# What somebody typed, where a password is spoken of.
_TYPED = re.compile(
    r"\b(?:typed|entered|typing|entering|tried|eingegeben|eintippe|gebe|tippe|tapé|saisi|puse"
    rf"|escrib\w+|hab(?:e)?)\s+(?:in\s+)?{_QUOTE}(?P<value>[^\W\d_][\w!?#*-]{{3,40}}\d[!?#*]?)(?!\w)",
    re.IGNORECASE,
)
# "App password abcd efgh ijkl mnop", as a mail provider gives them.
_BY_FOURS = re.compile(
    r"\bpass(?:word|code)s?\b[^\n]{0,20}?\b(?P<value>[a-z]{4}(?: [a-z]{4}){3})\b", re.IGNORECASE
)
# "Password: sunflower" is a line of a form; "password: how long?" is not.
_SIGNED = re.compile(
    rf"\b(?:{_STRICT})\s*[:=：]\s*{_QUOTE}(?P<value>[^\s\"“”‘’`«»,;]{{4,64}}){_QUOTE}"
    r"(?=\s*(?:$|[\n,;.!?)]|(?:and|und|et|y|e|but|aber|mais|pero)\s))",
    re.IGNORECASE,
)
# "… is my password", "I use … as my password"; "use … as my password manager" is none.
_NO_NAME = r"(?!\s+(?:manager|vault|generator|app|hint|policy|reset|keeper|alternative)|-)"
# "is … a strong password", "tried … as password", "password …": words that end in digits count.
_CALLED = re.compile(
    rf"\b(?P<value>[^\W\d_]{{4,}}\d{{1,4}}){_QUOTE}\s+(?:(?:as|for|als|für|comme|como|para)\s+"
    r"(?:(?:an?|my|our|the|ein|mein|un|mon|mi|una)\s+)?|(?:an?|ein|un|una)\s+)"
    rf"(?:[\w'-]+\s+){{0,2}}?(?:{_NAME})\b{_NO_NAME}",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    rf"\b(?:{_NAME})\s+(?:[^\s]+\s+){{0,4}}?(?:from|to|von|auf|zu|de|à|a|con)\s+{_QUOTE}"
    r"(?P<value>[^\s\"“”‘’`«»]{4,64})",
    re.IGNORECASE,
)
_TO = re.compile(r"\S?\s+(?:to|auf|zu|à|a)\s+(?P<value>[^\s\"“”‘’`«»]{4,64})", re.IGNORECASE)
_CREDENTIALS = re.compile(
    r"\b(?:log-?in|credentials?|account|zugangsdaten|identifiants)\b[^\n]{0,40}?(?<!\S)[^\s/|:]{2,64}"
    r"\s*[/|:]\s*(?P<value>[^\s\"“”‘’`«»/|]{4,64})",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"\b(?:user(?:name)?|name|ssid|log ?in|account|e-?mail|benutzer(?:name)?|utilisateur|usuario"
    r"|id)\b"
    r"\s*[:=]?\s*"
    r"(?P<user>[^\s,;]{2,64})\s*(?:[,;/|]|and|with|und|et|y|con|&)?\s*"
    r"(?:the\s+)?(?:pass(?:word|wort)?|pwd|pw|kennwort|contraseña|mot de passe|mdp)"
    r"\s*(?:is|ist|est|es)?\s*[:=]?\s*"
    r"(?P<value>[^\s,;]{4,64})",
    re.IGNORECASE,
)
TELLING = ("ly", "ed", "ing", "less", "able", "ible")
_YEAR = re.compile(r"(?:19|20)\d\d")
_END = ".,;:!?)]}»”\"'"
_LEAST_PLAIN = 4
_LEAST_MIXED = 5


def find_told_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the values of such secrets stand; places may overlap."""
    for pattern, is_secret in _KINDS:
        for match in pattern.finditer(text):
            if is_secret(match):
                yield _bare(match)
    for match in _changes(text):
        if _is_shown(match):
            yield _bare(match)
    yield from find_stated_codes(text)


def _bare(match: re.Match[str]) -> tuple[int, int]:
    """Where the value stands, without brackets around it and marks that end the sentence."""
    start, end = match.span("value")
    value = match["value"]
    tail = len(value) - len(value.rstrip(".,;:?)]}"))
    head = len(value) - len(value.lstrip("([{<"))
    return (start + head, end - tail) if head + tail < len(value) else (start, end)


def _is_own(match: re.Match[str]) -> bool:
    """After a sign or a verb any word counts but what is said of passwords."""
    value = match["value"].strip(_END)
    if "://" in value or _YEAR.fullmatch(value):
        return False
    if value.isalpha() and (value.lower() in said_of_secrets() or value.lower().endswith(TELLING)):
        return False
    return len(value) >= _LEAST_PLAIN and not TECHNICAL.fullmatch(value)


def _is_phrase(match: re.Match[str]) -> bool:
    """Words without grammar, of which one at most is said of passwords."""
    told = re.split(r"[ -]", match["value"].lower())
    said = sum(word in said_of_secrets() for word in told)
    return said <= 1 and not any(word in stop_words() for word in told)


def _is_typed(match: re.Match[str]) -> bool:
    return bool(SPOKEN_OF.search(match.string)) and _is_shown(match)


def _changes(text: str) -> Iterator[re.Match[str]]:
    """Values of "from this to that"."""
    for match in _CHANGED.finditer(text):
        yield match
        if then := _TO.match(text, match.end("value")):
            yield then


def _is_shown(match: re.Match[str]) -> bool:
    bare = match["value"].strip(_END)
    return _is_mixed(bare) and not bare.startswith(("$", "<", "{", "%"))


def _is_pair(match: re.Match[str]) -> bool:
    said = {match["value"].lower().strip(_END), match["user"].lower()}
    return not said & said_of_secrets()


def _is_mixed(value: str) -> bool:
    """Whether letters meet digits or signs as in no word or name."""
    has_letter = any(c.isalpha() for c in value)
    has_digit = any(c.isdigit() for c in value)
    signs = sum(c in "!@#$%^&*+=~?" for c in value)
    is_mixed = (has_letter and has_digit) or (signs and (has_letter or has_digit))
    return bool(is_mixed) and len(value) >= _LEAST_MIXED and not TECHNICAL.fullmatch(value)


_KINDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]], ...] = (
    (_OWN, _is_own),
    (_PHRASE, _is_phrase),
    (_TYPED, _is_typed),
    (_BY_FOURS, _is_phrase),
    (_SIGNED, _is_own),
    (_CALLED, _is_shown),
    (_CREDENTIALS, _is_shown),
    (_PAIR, _is_pair),
)
