"""Signals that lie in the form of a message: numbers, years, names, length.

Language-neutral as far as possible; the names are those of the catalogue.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from pellucid_language.scripts import EAST_ASIAN

_NUMBER = re.compile(r"(?<![A-Za-z_\d.])\$?\d+(?:[.,/:]\d+)*%?")
_YEAR = re.compile(r"(?<![\d.,/$€£#-])(19\d\d|20\d\d)(?![\d%]|[.,]\d)")
_QUESTION = re.compile(r"[?？]")
_SENTENCE_END = re.compile(r"[.!?。！？]\s|[。！？]|\n")
# Patterns of words are for lower-case text, on which they are several times as fast.
_ASKS_QUANTITY = re.compile(
    r"\b(?:how (?:many|much|long|far|old|fast|tall|big|heavy|high|wide|deep|often)|what (?:\w+ ){0,3}(?:percent|total|average|number|amount|weight|score|grade|age|depth)|what (?:is|are|was|will be) the (?:total|sum|average|"  # noqa: E501 - one pattern or table row
    r"difference|number|amount|percentage|ratio|area|cost|profit|price)|what (?:percentage|fraction)|calculate|"  # noqa: E501 - one pattern or table row
    r"in total|altogether|find the|what will it be|wie schnell|quelle (?:distance|vitesse)|a qué velocidad|"  # noqa: E501 - one pattern or table row
    r"cuánt[oa]s?|wie ?viele?|combien|berechne|calcul[ae]r?)\b"
    r"|몇 |몇%|얼마|확률|비율|구하시오|구하세요|구해|计算|多少|几[个只本人]|求|速度|何[個人本枚円]|時速|속력|속도|いくつ|いくら|求め"  # noqa: E501 - one pattern or table row
)
_PERSONAL_STORY = re.compile(
    r"\b(?:he|she|they|his|her|each|per|times|more than|less than|fewer|older|younger|every|costs?|makes?|takes?|has|had|gave|gives|bought|buys|drops?|earns?|runs?|drives?|fährt|läuft|roule|court|recorre|corre|sold|sells|left|twice|half|"  # noqa: E501 - one pattern or table row
    r"tiene|compró|gana|hat|kauft|verkauft|a acheté|achète|possède|vend)\b"
    r"|씩|달렸|갔다|응답|학생|개를|명이|있습니다|사과|买了|有\d|每|小明|小红|ずつ|走|進|买|行驶|買い|さんは"
)
_CAPITALISED = re.compile(r"(?<=[\w,'\"] )(?:[A-Z][\w'’.&-]*[a-zA-Z]|[A-Z]{2,})")
# German writes every noun large: a name is one without an article after a preposition of place or
# origin, or one that a model number follows.
_GERMAN_NAME = re.compile(
    r"\b(?:in|von|bei|aus|nach) ([A-ZÄÖÜ][\wäöüß-]{2,})(?=\W*\Z| [a-zäöüß])"
    r"|\b([A-ZÄÖÜ][\wäöüß-]+ [A-Z]?\d+)\b"
)
_LATIN_NAME_IN_CJK = re.compile(r"[A-Z][A-Za-z0-9.-]+")
_WH = re.compile(
    r"\A\W*(?:who|whose|what|which|where|when|how|is|are|did|does|do|has|have|was|were|in what|in which|tell me about|"  # noqa: E501 - one pattern or table row
    r"qui[eé]n(?:es)?|qu[eé]|cu[aá]l(?:es)?|d[oó]nde|cu[aá]ndo|wer|was|welche[rsmn]?|wo|wann|hat|ist|qui|quel(?:le)?s?|"
    r"où|quand|est-ce|a-t)\b"
)
_COMMON_CAPITALS = frozenset(
    [
        "I",
        "I'm",
        "I'd",
        "I've",
        "I'll",
        "English",
        "Spanish",
        "French",
        "German",
        "Japanese",
        "Korean",
        "Chinese",
        "Python",
        "Java",
        "JavaScript",
        "SQL",
        "HTML",
        "CSS",
        "JSON",
        "XML",
        "CSV",
        "API",
        "AI",
        "PDF",
        "URL",
        "OK",
        "TV",
        "USA",
        "UK",
        "US",
        "EU",
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "Excel",
        "Linux",
        "React",
        "C",
    ]
)
LONG_MESSAGE = 700
_NUMBER_WORD = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|twenty|thirty|"
    r"forty|fifty|hundred|dozen|half|twice|double|triple|thirds?|quarters?|dos|tres|cuatro|cinco|diez|doble|mitad|"
    r"zwei|drei|vier|fünf|zehn|doppelt|hälfte|deux|trois|quatre|cinq|dix|moitié)\b|两|三|一半|倍|半分"
)
_CONDITION = re.compile(r"\b(?:if|suppose|si|wenn|falls)\b|如果|면 |たら|もし|，|、|,")
_NAMES_A_YEAR = re.compile(
    r"\b(?:in|since|during|of|for|en|im|seit) (?:the )?(?:19|20)\d\d\b|(?:19|20)\d\d(?:년|年)"
)
_DENSE_SCRIPT = re.compile(f"[{EAST_ASIAN}]")
MIN_PROBLEM_NUMBERS = 2
MIN_PROBLEM_CHARACTERS = 45
# A year this far before the cut-off is still one that pages know better than the model.
RECENT_YEARS = 2


def structural_signals(
    text: str, *, cutoff: datetime, now: datetime, language: str
) -> Iterator[tuple[str, str]]:
    """Yield the name and evidence of each structural signal of `text`.

    Args:
        text: Folded message window.
        cutoff: First day that the answer model knows nothing of.
        now: The instant that "today" refers to.
        language: ISO 639-1 code.
    """
    if _is_word_problem(text):
        yield "word_problem", "numbers in a story"
    if len(text) > LONG_MESSAGE or text.count("\n") > 5:  # noqa: PLR2004 - the number says itself
        yield "given_text", f"{len(text)} characters"
    yield from _years(text, cutoff=cutoff, now=now)
    name = named_thing(text, language)
    if name and _asks(text):
        yield "entity_question", name
    if not _QUESTION.search(text) and language in {"ko", "ja"} and _tells(text):
        yield "statement", text[-12:]


def named_thing(text: str, language: str) -> str:
    """Return the first capitalised name inside a sentence, empty when there is none."""
    if language in {"ko", "ja", "zh"}:
        match = _LATIN_NAME_IN_CJK.search(text)
        return match.group() if match and match.group() not in _COMMON_CAPITALS else ""
    if language == "de":
        name = _GERMAN_NAME.search(text)
        return (name.group(1) or name.group(2)) if name else ""
    names = (match.group() for match in _CAPITALISED.finditer(text))
    return next((name for name in names if name not in _COMMON_CAPITALS), "")


def years_in(text: str) -> tuple[int, ...]:
    """Return the years that a text names, in order."""
    return tuple(int(year) for year in _YEAR.findall(text))


def _years(text: str, *, cutoff: datetime, now: datetime) -> Iterator[tuple[str, str]]:
    near = [year for year in years_in(text) if year <= now.year + 10]
    late = [year for year in near if year >= cutoff.year]
    if late:
        yield "cutoff_year", str(late[0])
    recent = [year for year in near if cutoff.year - RECENT_YEARS <= year < cutoff.year]
    if recent:
        yield "recent_year", str(recent[0])


def _asks(text: str) -> bool:
    return bool(_WH.match(text.lower()) or _QUESTION.search(text[-3:]))


def _is_word_problem(text: str) -> bool:
    """Numbers and a question for a quantity that follows from them."""
    dense = bool(_DENSE_SCRIPT.search(text))
    if len(text) < MIN_PROBLEM_CHARACTERS and not dense:
        return False
    figures = [
        match.group() for match in _NUMBER.finditer(text) if not _YEAR.fullmatch(match.group())
    ]
    lower = text.lower()
    numbers = len(figures) + len(_NUMBER_WORD.findall(lower))
    if numbers < MIN_PROBLEM_NUMBERS or not _ASKS_QUANTITY.search(lower):
        return False
    several = bool(_SENTENCE_END.search(text.strip())) or bool(_CONDITION.search(lower))
    story = bool(_PERSONAL_STORY.search(lower)) or numbers > MIN_PROBLEM_NUMBERS
    return story and several and not _NAMES_A_YEAR.search(text)


_KO_TELLS = re.compile(
    r"(?:다|어|아|요|네|지|야|음|함|라|걸|군|데|게|려구|려고|은|는|해|면|듯|중|됨|워|서|여|돼|봐|와|죠|거|것|구|고|니까|던|밤|들|ㅠ|ㅜ|ㅋ|ㅎ)[.!~ㅠㅜㅋㅎ ]*\Z"  # noqa: E501 - one pattern or table row
)
_JA_TELLS = re.compile(r"(?:だ|よ|ね|た|な|わ|です|ます|ました|よね|かな|って)[。!！~〜]*\Z")
_KO_REQUEST = re.compile(
    r"(?:줘|주세요|주라|줄래|알려|찾아|검색|보여|해라|하세요|하시오|세요|십시오|까\W*\Z|니\W*\Z|뭐|어때|얼마|언제|누구|어디|몇|날씨|뉴스|환율|주가)"
)
_JA_REQUEST = re.compile(
    r"(?:教えて|ください|下さい|調べ|検索|見せ|書いて|して|とは|何|誰|いつ|どこ|いくら|か[。?？]?\Z)"
)


def _tells(text: str) -> bool:
    korean = _KO_TELLS.search(text) and not _KO_REQUEST.search(text)
    japanese = _JA_TELLS.search(text) and not _JA_REQUEST.search(text)
    return bool(korean or japanese)
