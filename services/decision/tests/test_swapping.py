"""Messages that ask the question before again, about another thing or about what it named."""

import asyncio
from datetime import UTC, datetime

import pytest

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.question.swapping import meant_in
from pellucid_decision.question.topic import topic_of
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.text.conversation import Ask, Role, Turn, WebMode

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)


class _Rules:
    book = RulesFolder().book


def searched(message: str, *turns: str) -> str:
    roles = (Role.USER, Role.ASSISTANT)
    history = tuple(Turn(roles[place % 2], text) for place, text in enumerate(turns))
    ask = Ask(message, NOW, CUTOFF, web_mode=WebMode.ON, max_queries=2, history=history)
    found = asyncio.run(Cascade(_Rules()).decide(ask))
    return " / ".join(query.text for query in found.queries)


@pytest.mark.parametrize(
    ("turns", "message", "present", "absent"),
    [
        (
            ("are dogs allowed on trams in leeds?", "Yes, on a lead."),
            "and in hull?",
            ("dogs", "trams", "hull"),
            ("leeds",),
        ),
        (
            ("wie hoch ist die grundsteuer in kassel", "Das hängt vom Hebesatz ab."),
            "und in gera?",
            ("grundsteuer", "gera"),
            ("kassel",),
        ),
        (
            ("los peruanos necesitan visa para japón?", "No, hasta 90 días."),
            "y los bolivianos?",
            ("bolivianos", "visa", "japón"),
            ("peruanos",),
        ),
        (
            ("quand ferme la piscine à nantes ?", "À 20 heures."),
            "et à brest ?",
            ("piscine", "brest"),
            ("nantes",),
        ),
        (
            ("how heavy is a honey badger", "About 10 kg."),
            "and a wolverine?",
            ("wolverine",),
            ("badger",),
        ),
        (
            ("qué días abren las tiendas en enero en Cádiz", "Los domingos 3 y 10."),
            "y en Huelva?",
            ("tiendas", "enero", "Huelva"),
            ("Cádiz",),
        ),
        (
            ("博多から長崎まで新幹線でいくら", "約6,000円です。"),
            "小倉からは?",
            ("小倉", "長崎", "新幹線"),
            ("博多",),
        ),
        (
            ("从上海到桂林高铁要多久", "大约9小时。"),
            "那柳州呢",
            ("上海", "高铁", "柳州"),
            ("桂林",),
        ),
        (
            (
                "헤어질 결심 감독이 누구야",
                "박찬욱 감독입니다.",
                "다른 작품은?",
                "올드보이, 아가씨 등이 있습니다.",
            ),
            "그 사람 최근에 상 받았어?",
            ("박찬욱", "상"),
            ("올드보이",),
        ),
    ],
)
def test_the_like_of_what_is_named_goes(
    turns: tuple[str, ...], message: str, present: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    found = searched(message, *turns)
    assert all(word in found for word in present), found
    assert not any(word in found for word in absent), found


@pytest.mark.parametrize(
    ("turns", "message", "expected"),
    [
        (
            ("how much is the Brask Mini 4", "The Brask Mini 4 costs 300 crowns."),
            "i meant the mini 5 pro",
            ("Brask", "mini 5 pro"),
        ),
        (
            ("wann öffnet der flohmarkt in frankfurt?", "In Frankfurt am Main samstags."),
            "nee ich meinte frankfurt an der oder",
            ("flohmarkt", "frankfurt an der oder"),
        ),
        (
            ("Nora passe en concert à Lille ?", "Nora Example passe en mai."),
            "non pas elle, je parle de Nora Skerry",
            ("concert", "Lille", "Nora Skerry"),
        ),
        (
            ("cuánto sale alquilar un piso en córdoba?", "Unos 600 euros."),
            "no, córdoba argentina te digo",
            ("alquilar", "córdoba argentina"),
        ),
    ],
)
def test_a_correction_asks_again(
    turns: tuple[str, ...], message: str, expected: tuple[str, ...]
) -> None:
    found = searched(message, *turns)
    assert all(word in found for word in expected), found


@pytest.mark.parametrize(
    ("turns", "message", "expected"),
    [
        (
            ("what's the longest slide in the uk", "That is the Corvid Tower slide in Skerry."),
            "cool, how old do you have to be to go on it?",
            "Corvid Tower",
        ),
        (
            ("was kann man in ulm bei regen machen", "Beliebt ist das Brask Museum am Ufer."),
            "klingt gut, was kostet das denn für kinder?",
            "Brask Museum",
        ),
        (
            ("qué palacio hay en la plaza mayor?", "El Palacio de Brask, del siglo XVII."),
            "y cuánto cuesta verlo por dentro?",
            "Palacio de Brask",
        ),
        (
            ("what is the population of Iceland", "About 390,000, most of them in Reykjavik."),
            "and how big is it?",
            "Iceland",
        ),
    ],
)
def test_it_is_what_the_answer_named_where_the_question_asked_which(
    turns: tuple[str, ...], message: str, expected: str
) -> None:
    assert expected in searched(message, *turns)


@pytest.mark.parametrize(
    ("message", "absent"),
    [
        (
            "my mum Ada Example (customer no 8841 20957) wants to move her gas direct debit, how?",
            ("Ada", "Example", "8841", "20957", "customer"),
        ),
        ("mein sohn Uwe Beispiel braucht einen reisepass, was kostet das", ("Uwe", "Beispiel")),
        ("mi hija Eva Ejemplo quiere la beca, cuándo se paga?", ("Eva", "Ejemplo")),
        ("ma fille Zoé Exemple passe le permis, combien ça coûte ?", ("Zoé", "Exemple")),
        ("妻の由美でも児童手当の申請はできますか", ("由美",)),
        ("我爸王建军在苏州交了十年社保，还能一次性补缴吗", ("王建军",)),
    ],
)
def test_relatives_and_their_numbers_leave_no_query(message: str, absent: tuple[str, ...]) -> None:
    found = searched(message)
    assert found
    assert not any(word in found for word in absent), found


@pytest.mark.parametrize(
    ("message", "present"),
    [
        ("which supermarket green curry pastes in the uk come without shrimp", "without shrimp"),
        ("quelles marques de bûche de noël surgelée sans gluten et sans alcool", "sans alcool"),
        ("卵使わないホットケーキのレシピある?", "卵なし"),
        ("不想加糖的话怎么做酸奶", "不用糖"),
        ("새우젓 없이 배추김치 담그는 레시피 좀", "새우젓 없이"),
    ],
)
def test_what_is_ruled_out_stays(message: str, present: str) -> None:
    assert present in searched(message)


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        (("how much is the Brask Mini 4", "300 crowns."), "no, i mean it"),
        (("how much is the Brask Mini 4", "300 crowns."), "i mean, is it worth it?"),
        (("how much is the Brask Zoo?", "28 crowns."), "I meant to ask if dogs are allowed"),
        (("how much is the Brask Zoo?", "28 crowns."), "I meant to thank you earlier"),
        (("ブラスク4の値段は?", "300クラウンです。"), "いえ、大丈夫です"),
    ],
)
def test_what_names_nothing_corrects_nothing(turns: tuple[str, ...], message: str) -> None:
    rules = _Rules.book.of("ja" if turns[0][0] == "ブ" else "en")
    history = [Turn(Role.USER, turns[0]), Turn(Role.ASSISTANT, turns[1])]
    assert not meant_in(message, topic_of(history, rules), rules)


@pytest.mark.parametrize(
    ("message", "present"),
    [
        ("Was tun wenn mein Kind Fieber hat", "Fieber"),
        ("Darf mein Vermieter Kaution einbehalten?", "Kaution"),
        ("孩子叫不醒，怎么办", "不醒"),
        ("娘の発熱が続くときは何科?", "発熱"),
        ("When was My Neighbor Totoro released?", "Totoro"),
        ("When did Ned Example meet his wife Ada Sample?", "Ada Sample"),
        ("I typed 1234 on the keypad of my safe, model SV123456 beeps, how to reset", "SV123456"),
    ],
)
def test_what_only_looks_like_a_relative_or_a_value_stays(message: str, present: str) -> None:
    assert present in searched(message)


@pytest.mark.parametrize(
    ("turns", "message", "present", "absent"),
    [
        (
            ("What is the best time to visit Kyoto?", "April, when Maruyama Park is in bloom."),
            "is it expensive then?",
            "Kyoto",
            "Maruyama",
        ),
        (
            ("What is the interest rate in Turkey?", "The Brask Bank keeps it at 37%."),
            "when will it change",
            "Turkey",
            "Brask",
        ),
        (
            ("¿Cuál es la mejor época para visitar Perú?", "De mayo a septiembre según Brask."),
            "¿y la entrada cuánto cuesta?",
            "Perú",
            "Brask",
        ),
        (
            ("Was ist das beste Handy unter 300 Euro?", "Laut Stiftung Brasktest das Quill 5."),
            "kann man das bei Aldi kaufen?",
            "Handy",
            "Brasktest",
        ),
    ],
)
def test_it_stays_the_subject_where_no_thing_was_asked_for(
    turns: tuple[str, ...], message: str, present: str, absent: str
) -> None:
    found = searched(message, *turns)
    assert present in found, found
    assert absent not in found, found
