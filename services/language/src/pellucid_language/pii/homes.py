"""Where somebody lives, and when a relative was born.

An address is private where the message says that somebody lives there or moves there; that of a
sight is not. A date of birth is private beside a word for a relative; Goethe's is not.
"""

import re
from collections.abc import Iterator

from pellucid_language.scripts import HAN, HANGUL, KANA

Span = tuple[int, int]

_LIVES = re.compile(
    r"\b(?:(?:i|we) live|i'?m at"
    r"|(?:i|we|i'?m|we'?re|i am|we are) (?:just )?mov(?:e|ed|ing) (?:in)?to"
    r"|(?:my|our) (?:new )?(?:house|flat|home|address|place|building)"
    r"|(?:ich|wir) (?:wohnen?|ziehen?)|wohne|umgezogen|bei (?:mir|uns)"
    r"|(?:meine?|unsere?) (?:neue )?(?:adresse|wohnung|haus)"
    r"|j'habite|nous habitons|chez (?:moi|nous)|(?:je|nous) déménage\w*"
    r"|(?:mon|notre|ma) (?:nouvelle )?(?:adresse|appartement|maison|immeuble)"
    r"|viv(?:o|imos)|mi (?:casa|piso|dirección|edificio)|nuestr[oa] (?:casa|piso)"
    r"|me (?:he )?mud\w+)\b"
    r"|이사|살아|살고|사는데|우리 ?집|저희 ?집"
    r"|住んで|引っ越|自宅|うちの|我家|住在|搬到|我们(?:家|小区)",
    re.IGNORECASE,
)
# Of somebody else; a home only where that is a relative.
_LIVES_THERE = re.compile(
    r"\b(?:lives?|living|wohn(?:t|en)|habite(?:nt)?|viv(?:e|en))\b", re.IGNORECASE
)
_ADDRESS = re.compile(
    rf"""
      \b(?!(?:19|20)\d\d\b)\d{{1,5}}[a-z]?,?[ ](?:[A-Z][\w'’-]{{1,24}}[ ]){{1,3}}
        (?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Close|Way|Court|Crescent|Terrace|Place
        |Gardens|Grove|Boulevard|Blvd)\b
    | \b(?:[A-ZÄÖÜ][\w-]{{0,30}}
        (?:weg|stra(?:ß|ss)e|str\.|allee|gasse|platz|ring|damm|ufer|steig|pfad)
        |[A-ZÄÖÜ]\w{{1,30}}er[ ](?:Straße|Weg|Allee|Platz|Ring|Damm|Str\.))[ ]\d{{1,3}}[ ]?[a-z]?\b
    | \b\d{{1,4}}(?:[ ](?:bis|ter))?,?[ ]
        (?i:rue|avenue|av\.|boulevard|bd|chemin|allée|impasse|place|quai)[ ]
        (?:(?:de|du|des|la|le|les|l'|d')[ ]?){{0,3}}[\w'’-]{{1,30}}
        (?:[ ][A-ZÀ-Þ][\w'’-]{{1,30}}){{0,3}}
    | \b(?i:calle|c/|avenida|avda\.?|av\.|plaza|paseo|ronda)[ ]
        (?:(?:de|del|la|las|los|el)[ ]){{0,3}}[A-ZÀ-Þ][\w'’-]{{1,30}}
        (?:[ ](?:de[ ])?[A-ZÀ-Þ][\w'’-]{{1,30}}){{0,3}},?[ ](?:n[º°.]?[ ]?)?\d{{1,3}}(?!\d)
        (?:,[ ]\d{{1,2}}[º°][ ]?\w{{0,3}})?
    | [{HANGUL}\d]{{1,12}}(?<!으)(?:로|길)[ ]?(?:\d+번길[ ]?)?\d+(?:-\d+)?(?![{HANGUL}\d])
        (?:,?[ ]\d+동)?(?:[ ]?\d+호)?
    | [{HAN}{KANA}]{{1,8}}\d{{1,3}}丁目\d{{1,4}}(?:[-番]\d{{1,4}}){{0,3}}号?
    | [{HAN}]{{1,6}}\d{{1,3}}-\d{{1,3}}(?:-\d{{1,4}}){{1,3}}
    | [{HAN}]{{2,6}}(?:路|街|巷|道|弄|胡同)\d+号(?:院)?(?:\d+栋)?(?:\d+单元)?(?:\d+室?)?
    """,
    re.VERBOSE,
)
_BORN = re.compile(
    r"(?:\b(?:born|geb\.|geboren(?: am)?|née?(?: le)?|naci(?:ó|o|d[oa])(?: el)?|dob:?"
    r"|birth ?date:?)[ ]?"
    r"(?P<after>\d{1,4}[./-]\d{1,2}[./-]\d{1,4}))"
    r"|(?P<before>\d{4}[年년][ ]?\d{1,2}[月월][ ]?\d{1,2}[日号일])(?=生|[ ]?(?:출생|생))",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:my|our|i|mein\w*|unser\w*|ich|mon|ma|mes|notre|je|mi|mis|nuestr[oa]s?|yo)\b"
    r"|息子|娘|妻|夫|母|父|孫|私|うち|孩子|儿子|女儿|我|宝宝|우리|저희|내|제|아들|딸",
    re.IGNORECASE,
)


def find_homes(text: str) -> Iterator[Span]:
    """Yield where street and number of a home stand."""
    if _LIVES.search(text) or (_RELATIVE.search(text) and _LIVES_THERE.search(text)):
        yield from (match.span() for match in _ADDRESS.finditer(text))


def find_birth_dates(text: str) -> Iterator[Span]:
    """Yield where the date of birth of the person or a relative stands."""
    if _RELATIVE.search(text):
        for match in _BORN.finditer(text):
            yield match.span("after" if match["after"] else "before")
