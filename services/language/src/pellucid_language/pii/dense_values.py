"""The same as in `stated_values` where no blanks part the words: Korean, Japanese, Chinese.

A value counts behind the name of a secret of a thing ("金庫の番号は 28-14-63"), behind the thing in
a form that only combinations have, and behind a thing of one's own.
"""

import re
from collections.abc import Iterator

from pellucid_language.scripts import HANGUL, KANA

Span = tuple[int, int]

_THING = (
    r"도어락|현관문?|금고|자물쇠|사물함|캐리어|와이파이|공유기|대문|출입문|보관함|택배함|무인함|비상키"
    r"|金庫|南京錠|鍵|ロッカー|玄関|オートロック|宅配ボックス|スーツケース|自転車|ダイヤルロック"
    r"|保险箱|保险柜|保險箱|门锁|門鎖|门禁|大门|行李箱|挂锁|无线网?|储物柜|单车锁|密码锁|车库"
    r"|[Ww][Ii]-?[Ff][Ii]|ワイファイ"
)
_OPENING_NAME = (
    r"비밀번호|비번|암호|패스워드|핀번호|핀코드|핀|인증번호|보안코드|暗証番号|パスワード|パスコード|暗号(?:化?キー)?|合言葉"
    r"|認証コード|確認コード|密码|密碼|口令|验证码|驗證碼|解锁码|PIN码|ロック(?=を|は)|(?:pin|PIN)(?=は|が|是|은|는|번호)"
)
_NAME = r"번호|코드|키|패턴|다이얼|番号|コード|キー|パス|ダイヤル|数字|代码|号码|密钥"
_MINE = r"우리|제|내|저희|私|うち|我が家|俺|僕|我|家里|咱|妈|爸"
_JOIN = (
    r"(?P<said>은|는|이|가|를|을|が|は|を|是|为|為|设为|设成了?|改成|設定は|って)?\s*[:：=]?\s*"
    r"[「『\"'“]?"
)
_LENGTH = r"(?:[四六八4-8]位数?|[네4-8]자리|[4-8]桁の?)?\s?"
_FIGURES = r"[*#]?\d{3,10}[*#]?|\d{1,4}(?:[- ]\d{1,4}){2,6}|\d{4}-\d{4}"
_MIXED = r"(?=[!-~]*\d)(?=[!-~]*[A-Za-z])[A-Za-z\d][!-~]{4,63}"
# Behind a name that only secrets have, anything with a figure.
_ANY = r"(?=[!-~]*\d)[!-~]{4,64}"
_WORD_AND_FIGURES = rf"(?:[{HANGUL}]{{1,10}}|[{KANA}]{{1,12}})\d{{2,16}}[!-~]*"
_TURNS = r"\d{1,2}(?:-\d{1,2}){2,6}"
_COUNTED = (
    r"원|円|元|년|年|월|月|日|일|분|分|초|秒|번|号|號|개|個|个|mm|cm|kg|m\b|층|階|楼|호|세|歳|岁|명|人"
    r"|회|回|次|자리|桁|位|만|万|대|台|W|V|GHz"
)
_UNIT = rf"(?!\s?[\d:.,/%℃°]|(?:{_COUNTED}))"
_KINDS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:{_OPENING_NAME})\s?{_JOIN}{_LENGTH}(?P<value>{_FIGURES}|{_ANY}|{_WORD_AND_FIGURES}){_UNIT}",
        rf"(?:{_THING})(?:[^\n。.!?！？\d]{{0,8}}?)(?:{_NAME})\s?{_JOIN}(?P<value>{_FIGURES}|{_MIXED}){_UNIT}",
        rf"(?:{_THING})[^\n。.!?！？\d]{{0,6}}?(?P<value>{_TURNS}){_UNIT}",
        rf"(?:{_MINE})[^\n。.!?！？\d]{{0,10}}?(?:{_THING})\s?{_JOIN}(?P<value>[*#]?\d{{4,8}}[*#]?){_UNIT}",
    )
)
_SHOWN = re.compile(r"오류|에러|エラー|错误|錯誤|故障|モデル|型番|型号|모델|品番")
_YEAR = re.compile(r"(?:19|20)\d\d")


def find_dense_values(text: str) -> Iterator[Span]:
    """Yield where such values stand."""
    if text.isascii():
        return
    for pattern in _KINDS:
        for match in pattern.finditer(text):
            around = text[max(0, match.start() - 12) : match.end() + 12]
            is_year = _YEAR.fullmatch(match["value"]) and not match.groupdict().get("said")
            if not is_year and not _SHOWN.search(around):
                yield match.span("value")
