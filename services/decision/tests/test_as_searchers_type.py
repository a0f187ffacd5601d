"""Messages as people write them, and the queries that a searcher would type for them."""

import asyncio
from datetime import UTC, datetime

import pytest

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.text.conversation import Ask, Role, Turn, WebMode

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)


class _Rules:
    book = RulesFolder().book


def searched(message: str, *turns: str) -> list[str]:
    roles = (Role.USER, Role.ASSISTANT)
    history = tuple(Turn(roles[place % 2], text) for place, text in enumerate(turns))
    ask = Ask(message, NOW, CUTOFF, web_mode=WebMode.ON, max_queries=2, history=history)
    return [query.text for query in asyncio.run(Cascade(_Rules()).decide(ask)).queries]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "여권 온라인으로 재발급 신청하려는데 사진 파일 규격이 어떻게 되고 어디서 신청해야 돼?",
            ["여권 재발급 사진 파일 규격", "여권 재발급 신청"],
        ),
        (
            "수원 장안구 쪽에 일요일에도 진료하는 소아과 있어? 급해요",
            ["수원 장안구 일요일 진료 소아과"],
        ),
        ("예시페이 지금 안 되는 거 나만 그래?", ["예시페이 안 되는", "예시페이 장애"]),
        (
            "高齢・障害・求職者支援機構の訓練って失業中なら無料？",
            ["高齢・障害・求職者支援機構 訓練 失業中 無料"],
        ),
        ("美的的电热水器显示E4是什么故障", ["美的 电热水器显示E4 故障"]),
        ("孩子发烧39度怎么办", ["孩子发烧39度 怎么办"]),
        ("TideConf 2027은 언제 열리나요?", ["TideConf 2027 언제 열리"]),
        ("수능 언제야", ["수능 언제"]),
        ("퀼런 주전자 리콜 대상은 몇 대인가요?", ["퀼런 주전자 리콜 대상 몇 대"]),
        ("언제나 행복한 사람의 습관", ["행복 사람 습관"]),
        ("TideConf 2027はいつ開催されますか", ["TideConf 2027 いつ 開催"]),
    ],
)
def test_words_without_blanks_are_cut_at_their_borders(message: str, expected: list[str]) -> None:
    assert searched(message) == expected


@pytest.mark.parametrize(
    ("turns", "message", "expected"),
    [
        (("广州居住证怎么办理?", "到街道申请。"), "那佛山呢", ["居住证 怎么 办理 佛山"]),
        (
            ("名古屋市の粗大ごみの申し込み方法は?", "電話かインターネットです。"),
            "じゃあ豊橋は?",
            ["豊橋 粗大ごみ 申し込み方法"],
        ),
        (
            ("When does the Louvre close on Fridays?", "At 9 pm."),
            "and the Orsay?",
            ["Orsay close on Fridays"],
        ),
        (("Was kostet ein Reisepass?", "70 Euro."), "Und für Kinder?", ["Reisepass Preis Kinder"]),
        (
            ("seit wann ist in österreich winterreifenpflicht", "Seit dem 1. November."),
            "und in Südtirol?",
            ["seit wann winterreifenpflicht Südtirol"],
        ),
        (
            ("从广州去香港坐高铁要多久", "约50分钟。"),
            "那澳门呢",
            ["广州去坐高铁 多久 澳门"],
        ),
        (
            ("What is the population of Perth?", "Perth, in Western Australia, has 2.3 million."),
            "no no, the one in Scotland",
            ["population Perth Scotland"],
        ),
        (
            ("¿Quién ganó el Balón de Oro femenino en 2023?", "Lo ganó Aitana Bonmatí."),
            "¿y en qué equipo juega ahora?",
            ["Aitana Bonmatí equipo juega"],
        ),
    ],
)
def test_the_question_before_is_asked_again_of_another_thing(
    turns: tuple[str, ...], message: str, expected: list[str]
) -> None:
    assert searched(message, *turns) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("what films are coming out in uk cinemas next month?", "December 2026"),
        ("¿Qué feriados hay en Chile el mes que viene?", "diciembre 2026"),
        ("下个月上海有什么展览", "2026年12月"),
        ("다음 달 서울 전시회 뭐 있어?", "2026년 12월"),
        ("wie hoch ist der mindestlohn ab nächstem jahr", "2027"),
    ],
)
def test_a_month_or_year_told_from_today_is_named(message: str, expected: str) -> None:
    assert expected in searched(message)[0]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "any bread recipe that doesn't use yeast? I'm out of it and the shop's shut",
            ["bread recipe without yeast"],
        ),
        ("is examplebank down?? app just spins", ["examplebank down", "examplebank status"]),
        (
            (
                "my sister moved out in june and the deposit was never put in any scheme?? she is "
                "so upset and nobody helps her. what compensation can you claim if a landlord "
                "hasn't protected the deposit"
            ),
            ["compensation claim landlord hasn't protected deposit"],
        ),
        (
            "i need a crumble topping recipe but no oats pls",
            ["crumble topping recipe without oats"],
        ),
        (
            "best way to get red wine out of a white linen shirt",
            ["red wine out white linen shirt"],
        ),
        (
            "oye quién escribió Pedro Páramo y qué significa apapachar, es que mi hija lo trae",
            ["quién escribió Pedro Páramo", "apapachar significado"],
        ),
    ],
)
def test_what_stands_around_a_question_stays_out(message: str, expected: list[str]) -> None:
    assert searched(message) == expected


@pytest.mark.parametrize(
    ("message", "whole"),
    [
        (
            'Von wem ist der Spruch "Es gibt nichts Gutes, außer man tut es"?',
            '"Es gibt nichts Gutes, außer man tut es"',
        ),
        (
            "Wo sitzt das Bundesamt für Kartographie und Geodäsie?",
            "Bundesamt für Kartographie und Geodäsie",
        ),
        (
            "who runs the Department for Transport and Example Affairs",
            "Department for Transport and Example",
        ),
    ],
)
def test_quotations_and_institutions_stay_whole(message: str, whole: str) -> None:
    assert whole in " ".join(searched(message))


@pytest.mark.parametrize(
    ("message", "private"),
    [
        ("Meine Oma (Gerda Beispiel) hat Post von einer Inkassofirma. Ist das seriös?", "Gerda"),
        (
            "Ich heiße Karla Beispiel und suche einen Zahnarzt in Ulm, wer hat samstags auf?",
            "Karla",
        ),
        ("my name is Ned Example, how do I get a refund from a hotel in Leeds?", "Ned"),
        ("Je m'appelle Léa Exemple, quels sont mes recours contre mon employeur ?", "Léa"),
        ("我爸叫陳範例,昨天接到自称健保署的电话,这是诈骗吗?", "陳範例"),
        ("이모 박예시 씨랑 상담했는데 명의도용 휴대폰은 어디서 조회해요?", "박예시"),
        ("母(例田ちづる)が電話を受けました。還付金の詐欺はどこに相談すればいい?", "ちづる"),
    ],
)
def test_names_of_the_person_and_of_relatives_are_not_searched(message: str, private: str) -> None:
    assert private not in " ".join(searched(message))


@pytest.mark.parametrize(
    ("turns", "message", "before"),
    [
        (
            ("ma box clignote orange", "Débranchez la box."),
            "Super, merci ! Rien à voir mais à quelle date tombe Pâques ?",
            "box",
        ),
        (
            ("Was bedeutet thesaurierend bei einem ETF?", "Erträge bleiben im Fonds."),
            "Alles klar, danke! Mal was ganz anderes: wann blüht eine Orchidee?",
            "ETF",
        ),
        (
            ("절임배추 20kg에 고춧가루 얼마나 필요해?", "1.5kg 정도입니다."),
            "오케이 땡큐. 아 맞다 다른 얘긴데 전세 계약 만기 몇 달 전에 말해야 돼?",
            "고춧가루",
        ),
    ],
)
def test_another_subject_behind_thanks_is_another_subject(
    turns: tuple[str, ...], message: str, before: str
) -> None:
    assert before not in " ".join(searched(message, *turns))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("who won the example cup last weekend", "November 2026"),
        ("farmers markets in Oslo this month", "November 2026"),
        ("wer hat letzten Sonntag in Oslo gewonnen", "November 2026"),
        ("quels concerts ce mois-ci à Nantes", "novembre 2026"),
        ("qué series se estrenan este mes", "noviembre 2026"),
        ("上周日的马拉松谁赢了", "2026年11月"),
        ("先週の日曜の試合の結果は?", "2026年11月"),
        ("이번달 서울 전시회 일정", "2026년 11월"),
    ],
)
def test_days_and_months_told_from_today_are_named(message: str, expected: str) -> None:
    assert expected in searched(message)[0]


def test_the_month_of_a_day_before_the_first_is_the_one_before() -> None:
    first = datetime(2026, 12, 1, tzinfo=UTC)
    ask = Ask("who won the derby last Sunday", first, CUTOFF, web_mode=WebMode.ON, max_queries=1)
    queries = asyncio.run(Cascade(_Rules()).decide(ask)).queries
    assert "November 2026" in queries[0].text


@pytest.mark.parametrize(
    ("turns", "message", "kept", "gone"),
    [
        (
            ("who wrote the lantern keepers", "It was written by Ada Sample.", "oh wow ok", "Yes!"),
            "has she got anything new coming out",
            ["Ada Sample"],
            ["wow", "oh"],
        ),
        (
            ("Wer spielt die Anna Muster in Haus Beispiel?", "Das spielt Lena Probe Vorbild."),
            "hat sie in der neuen Staffel noch mitgespielt",
            ["Lena Probe Vorbild"],
            ["Anna"],
        ),
        (
            (
                "que trepadora da mas flores a pleno sol",
                "La buganvilla es una de las trepadoras más floríferas.",
            ),
            "y esa se puede dejar fuera en invierno?",
            ["buganvilla", "invierno"],
            ["trepadora"],
        ),
        (
            ("was kostet das Parken in Köln", "3 Euro.", "puh ganz schön viel", "Ja, leider."),
            "und in Bonn?",
            ["Parken", "Bonn"],
            ["puh", "Köln"],
        ),
        (
            ("quien gano el premio ejemplo", "Lo ganó Luz del Monte."),
            "y de que va su novela",
            ["Luz del Monte", "novela"],
            [],
        ),
        (
            ("la piscine de vannes ouvre à quelle heure", "La piscine de Vannes ouvre à 9 h."),
            "et à auray ?",
            ["piscine", "auray"],
            ["vannes"],
        ),
        (
            ("요리대회 우승자 누구였지", "우승자는 홍길동 셰프입니다."),
            "그 사람 식당은 어디있어?",
            ["홍길동", "식당"],
            ["그 사람", "셰프"],
        ),
        (
            ("高松から小豆島までフェリーいくら？", "700円です。"),
            "じゃあ直島は？",
            ["フェリー", "いくら", "直島"],
            ["小豆島"],
        ),
    ],
)
def test_a_follow_up_keeps_what_the_answer_named(
    turns: tuple[str, ...], message: str, kept: list[str], gone: list[str]
) -> None:
    query = searched(message, *turns)[0]
    assert all(word in query for word in kept), query
    assert not any(word.casefold() in query.casefold().split() for word in gone), query


def test_where_a_friend_went_is_not_what_a_whole_question_is_about() -> None:
    story = (
        "my flatmate Ned went to Morocco for two months and left his e-bike here, now the cellar "
        "flooded. ned isn't answering. is an e-bike battery dangerous to charge after it got wet?"
    )
    query = searched(story)[0]
    assert "battery" in query
    assert "Morocco" not in query
    assert "ned" not in query.casefold().split()
