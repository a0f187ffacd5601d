"""Values that their form gives away: number plates, accounts, vehicles, keys, seed phrases.

Numbers of customers, members and patients are announced by such a word right before them.

No word has to say what they are. Where a form has other uses, a word beside it must tell: a
document for a long number, a card for its check number, a lock for what somebody typed.
"""

import re
from collections.abc import Iterator
from itertools import chain

from pellucid_language.pii.homes import find_birth_dates, find_homes
from pellucid_language.scripts import HAN, HANGUL, KANA
from pellucid_language.stop_words import stop_words

Span = tuple[int, int]

# No other thing is written so.
_PLATES = re.compile(
    rf"""(?<![A-Za-z0-9-])(?:
      [A-Z]{{2}}-\d{{3}}-[A-Z]{{2}}                             # AB-123-CD
    | (?:[{HANGUL}]{{2}}[ ]?)?\d{{2,3}}[{HANGUL}][ ]?\d{{4}}     # 12가 3456
    )(?![A-Za-z0-9-])
    | [京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z][·.]?
      [A-HJ-NP-Z0-9]{{5,6}}(?![A-Za-z0-9])                     # 沪A12345
    | [{HAN}]{{2,4}}[ ]?\d{{3}}[ ]?[{KANA}][ ]?\d{{2}}-\d{{2}}(?!\d)  # 品川 300 あ 12-34
    """,
    re.VERBOSE,
)
# A plate where somebody speaks of driving; elsewhere "USB-C 32" or "2024 BSC".
_ROAD_PLATES = re.compile(
    r"(?<![\w-])(?:[A-Z]{2}\d{2} [A-Z]{3}"
    r"|(?!USB|DVB|DAB|DVD|LTE|CD-R|HD-D|SD-)[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?\d{1,4}[EH]?"
    r"|\d{4}[ -]?[BCDFGHJ-NPR-TV-Z]{3})(?![\w-])"
)
_ROAD = re.compile(
    r"\b(?:driv(?:e|ing)|cars?|vans?|plates?|reg(?:istration)?|parking|congestion|clean air|ulez"
    r"|kennzeichen|nummernschild|auto|wagen|fahren?|umweltzone|\w*plakette|matrícula|coche|furgoneta"
    r"|plaque|voiture|immatricul\w*)\b",
    re.IGNORECASE,
)
# Korean and Japanese accounts: groups of figures that no telephone has.
_ACCOUNT = re.compile(
    r"(?<![A-Za-z0-9-])(?!0)\d{3,6}-\d{2,6}-\d{4,8}(?:-\d{1,3})?(?![A-Za-z0-9-])"
    r"|(?<=記号)\s?\d{5}|(?<=番号)\s?\d{7,8}(?!\d)"
)
_FEWEST_FIGURES, _MOST_FIGURES = 11, 16
_TOLL_FREE = re.compile(r"1\d{3}-\d{3,4}-\d{4}\Z")
_BANK = re.compile(
    r"은행|뱅크|계좌|통장|입금|이체|송금|보증금|월세|농협|국민|신한|하나|카카오|銀行|口座|振込|ゆうちょ|账户|帐户|转账|bank|konto|account"
    r"|cuenta|compte",
    re.IGNORECASE,
)
# The figures on the back of a card, by any of their names.
_CHECK_NUMBER = re.compile(
    r"(?:\bcv[vc]2?\b|\bcsc\b|\bsecurity code\b|\bprüf(?:ziffer|nummer)\b|\bkartenprüfnummer\b"
    r"|\bcryptogramme\b"
    r"|(?<=\d\d/\d\d, )crypto\b|\bcódigo de seguridad\b"
    r"|セキュリティコード|보안 ?코드|安全码|校验码)"
    r"[^\w\n]{0,3}(?:is|ist|est|es|は|은|는|是)?[^\w\n]{0,3}(?P<value>\d{3,4})(?!\d)"
    r"|(?<![\d.,])(?P<behind>\d{3,4}) (?:on|at) the back\b",
    re.IGNORECASE,
)
_CARD = re.compile(r"\b(?:exp(?:iry)?|card|visa|mastercard)\b", re.IGNORECASE)
_DOCUMENT = re.compile(
    r"\bpasse?port|\breisepass\b|\b(?:personal)?ausweis|\bperso\b|\bführerschein|\bpasaporte"
    r"|\bcarte d.identité|\bpermis de conduire|\bcarte vitale|\btitre de séjour|\bdni\b"
    r"|\bcarn[eé]t\b|\bid card\b|\bidentity card|\bdriv(?:ing|er'?s) licen[cs]e"
    r"|\bresidence permit|여권|면허증|신분증|外国人登録|在留カード|パスポート|免許証|保険証"
    r"|\b(?:krankenkasse|aok|barmer|dak|tk|gesundheitskarte|elster)\b|\bversichert|(?<![a-z])e-?tax"
    r"|確定申告|マイナ|ヤマト運輸|佐川急便|宅急便"
    r"|身份证|护照|驾照|居住证",
    re.IGNORECASE,
)
_DOCUMENT_NUMBER = re.compile(
    r"(?<![A-Za-z0-9-])(?:\d{8,14}|\d{4}[ -]\d{4}[ -]\d{4}|\d{2} \d{3} \d{3} \d{3}"
    r"|(?=(?:[A-Z]*\d){3})(?=\d*[A-Z])[A-Z0-9]{8,12})(?![A-Za-z0-9-])"
)
# A number under which somebody is kept in another's books, announced as such.
_RECORD = re.compile(
    r"""(?:
      \b(?:customer|client|member(?:ship)?|policy|patient|account|employee|payroll|insurance
        |insured|contract|loyalty|subscriber)[ -]?
        (?:no\b\.?|nr\b\.?|num\b\.?|number|\#|id\b|ref(?:erence)?\b\.?)
    | \b(?:kunden|mitglieds?|versicherten|versicherungs?|vertrags|patienten|personal|konto|abo
        |policen|renten)[ -]?(?:nr\b\.?|nummer|no\b\.?|id\b)
    | \b(?:num[ée]ro|n°|nº|num\b\.?|no\b\.?)[ ]?(?:de[ ]|d')?(?:client|abonné|adhérent|contrat
        |allocataire|assuré|dossier|patient|police|sécu(?:rité[ ]sociale)?)
    | \b(?:n[úu]mero|n[º°]|num\b\.?|cuenta|código)[ ]?(?:de[ ])?(?:cliente|socio|p[óo]liza|afiliado
        |afiliaci[óo]n|contrato|paciente|expediente|abonado|colegiado|seguridad[ ]social)
    | (?:(?:고객|회원|환자|계약|가입자|보험증)[ ]?번호|사번)
    | (?:会員|顧客|患者|契約|お客様|保険証|証券|社員|被保険者)[ ]?(?:番号|ID)
    | (?:客户|会员|患者|病历|保单|合同|工|社保|用户)[ ]?(?:编号|号码|号)
    )(?:[ ](?:is|ist|lautet|est|es))?[\s:：=#(는은がはは是]{0,3}
    (?P<value>[A-Za-z]{0,4}[ -]?\d[\dA-Za-z]{0,24}
      (?:[ .-]\d[\dA-Za-z]{0,24}|/\d{5,12}){0,6})(?![\dA-Za-z_/%€$£])""",
    re.IGNORECASE | re.VERBOSE,
)
_LEAST_RECORD_FIGURES = 5
# What somebody typed or pressed where something is locked; a year is more often a year.
_TYPED = re.compile(
    r"(?:\b(?:typed?|enter(?:ed|ing)?|punch(?:ed)?(?: in)?|key(?:ed)? in|press(?:ed)?|tippe|getippt"
    r"|gebe|komme? mit|met[ií]|puse|tecle[éo]|marqu[eé]|ingres[éo]|introduje|tap[eé]e?|tapez"
    r"|compos[eé]"
    r"|entré)\s+|(?:누르고|입력하고|输入|輸入|输|按)\s?)"
    r"(?P<value>(?!(?:19|20)\d\d\b)(?:\d{4,8}|(?=[A-Z]*\d[A-Z]*\d)[A-Z\d]{4,8}))(?![\w:-]|[.,]\d)"
    r"|(?<![\d.,-])(?P<before>(?!(?:19|20)\d\d\D)\d{4,8})[*#]?(?:을|를|を|と)?\s?"
    r"(?:누르|눌[렀러]|입력|치면|押|入力|打)"
)
_LOCKED = re.compile(
    r"\b(?:safe|door|gate|lock(?:ed|er)?|keypad|alarm|pin|app|tür|tor|tresor|schloss|\w+-app|coffre"
    r"|porte|portail|digicode|interphone|caja fuerte|puerta|cerradura|candado)\b"
    r"|현관|출입문|도어락|금고|비번"
    r"|玄関|ドア|金庫|オートロック|门禁|门锁|保险箱|保险柜",
    re.IGNORECASE,
)
# 3 to 6 groups of 4 to 6 letters and figures: keys of networks, licences and recoveries.
_GROUPS = re.compile(
    r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){2,5}(?![\w-])"
)
_PLAIN_GROUP = re.compile(r"[A-Za-z]{4,6}|(?:19|20)\d\d")
_MIXED_GROUP = re.compile(r"(?=.*\d)(?=.*[A-Za-z]).*")
# Of a parcel, a key, a meter: nothing that is public has so many figures in a row.
_LONG = re.compile(r"(?<![\w.,-])\d{18,24}(?!\w|[.,-]\d)")
# Before such a value: it is what the message is about.
_LOOKED_UP = re.compile(
    r"(?:\b(?:vin|fin|chassis|track(?:ing)?|seed|sendung\w*|suivi|seguimiento)|운송장|송장|追跡|单号)"
    r"\W{0,3}(?:no\b|number|nr\b|nummer|id\b|번호|番号)?\W{0,3}\Z",
    re.IGNORECASE,
)
_LOOKED_UP_CHARACTERS = 40
# Of a vehicle: 17 signs without I, O and Q, four figures at the end.
_VEHICLE = re.compile(r"(?<![A-Za-z0-9-])[A-HJ-NPR-Z0-9]{13}\d{4}(?![A-Za-z0-9-])")
_FEWEST_LETTERS = 3
# 11 to 24 plain words with no grammar between them, as wallets and safes are restored with.
_PHRASE = re.compile(r"(?<![\w'])(?:[a-z]{3,8}[ ,]{1,2}){10,23}[a-z]{3,8}(?![\w'])")


def find_private_forms(text: str) -> Iterator[Span]:
    """Yield where such values stand."""
    yield from (match.span() for match in _PLATES.finditer(text))
    if _ROAD.search(text):
        yield from (match.span() for match in _ROAD_PLATES.finditer(text))
    yield from _accounts(text)
    for match in _CHECK_NUMBER.finditer(text):
        if match["value"] or _CARD.search(text):
            yield match.span("value" if match["value"] else "behind")
    for match in _RECORD.finditer(text):
        if sum(map(str.isdigit, match["value"])) >= _LEAST_RECORD_FIGURES:
            yield match.span("value")
    if _LOCKED.search(text):
        for match in _TYPED.finditer(text):
            yield match.span("value" if match["value"] else "before")
    vehicles = (one for one in _VEHICLE.finditer(text) if _has_letters(one[0]))
    for match in chain(_LONG.finditer(text), vehicles):
        before = text[max(0, match.start() - _LOOKED_UP_CHARACTERS) : match.start()]
        if not _LOOKED_UP.search(before):
            yield match.span()
    yield from find_homes(text)
    yield from find_birth_dates(text)
    yield from (match.span() for match in _GROUPS.finditer(text) if _is_key(match[0]))
    yield from (match.span() for match in _PHRASE.finditer(text) if _is_seed(match[0]))


def find_document_numbers(text: str) -> Iterator[Span]:
    """Yield where long numbers stand in a text that names a document of a person's."""
    if _DOCUMENT.search(text):
        yield from (match.span() for match in _DOCUMENT_NUMBER.finditer(text))


def may_be_seed(text: str) -> bool:
    """Whether a text without a figure may hold a seed phrase."""
    return any(_is_seed(match[0]) for match in _PHRASE.finditer(text))


def _has_letters(value: str) -> bool:
    return sum(map(str.isalpha, value)) >= _FEWEST_LETTERS


def _accounts(text: str) -> Iterator[Span]:
    if not _BANK.search(text):
        return
    for match in _ACCOUNT.finditer(text):
        figures = sum(char.isdigit() for char in match[0])
        grouped = "-" in match[0]
        if grouped and not _FEWEST_FIGURES <= figures <= _MOST_FIGURES:
            continue
        if not _TOLL_FREE.match(match[0]):
            yield match.span()


def _is_key(value: str) -> bool:
    """Whether groups are no words with a year: most of them mix letters and figures."""
    groups = value.split("-")
    mixed = sum(bool(_MIXED_GROUP.match(group)) for group in groups)
    plain = sum(bool(_PLAIN_GROUP.fullmatch(group)) for group in groups)
    return mixed > plain or mixed == len(groups) - 1


def _is_seed(value: str) -> bool:
    return not any(word in stop_words() for word in re.split(r"[ ,]+", value))
