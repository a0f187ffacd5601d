"""Words that a query needs, and words that it must leave out, in seven languages."""

import asyncio
from datetime import UTC, datetime

import pytest

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.question.places import place_told
from pellucid_decision.question.shared import shared_name
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.text.conversation import Ask, Role, Turn, WebMode

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)


class _Rules:
    book = RulesFolder().book


def queries(message: str, *turns: str) -> list[str]:
    history = tuple(
        Turn(Role.ASSISTANT if number % 2 else Role.USER, text) for number, text in enumerate(turns)
    )
    ask = Ask(message, NOW, CUTOFF, history, web_mode=WebMode.ON, max_queries=2)
    return [query.text for query in asyncio.run(Cascade(_Rules()).decide(ask)).queries]


@pytest.mark.parametrize(
    ("message", "ruled_out", "kept"),
    [
        ("quiet beaches on Gozo other than Ramla Bay please", "ramla", "gozo"),
        ("gute Podcasts über Geologie außer Steinzeitfunk", "steinzeitfunk", "geologie"),
        ("welche Museen in Ulm lohnen sich, das Brotmuseum kenne ich schon", "brotmuseum", "ulm"),
        ("quels châteaux de la Loire visiter à part Chambord", "chambord", "loire"),
        ("islas griegas tranquilas salvo Mykonos", "mykonos", "islas"),
        ("통영 맛집 알려줘, 다찌집은 빼줘", "다찌집", "통영"),
        ("夜景がきれいな場所、函館山以外で教えて", "函館山", "夜景"),
        ("适合新手的相机推荐，佳能和尼康除外", "尼康", "相机"),
    ],
)
def test_what_the_person_rules_out_is_not_searched_for(
    message: str, ruled_out: str, kept: str
) -> None:
    low = " ".join(queries(message)).casefold()
    assert ruled_out not in low
    assert kept in low


@pytest.mark.parametrize(
    ("told", "message", "place"),
    [
        ("We've only just settled into our cottage in Tenby, what a week", "nearest tip?", "Tenby"),
        ("nächsten Monat fang ich in Bamberg an", "wo kann ich hier Kleidung spenden?", "Bamberg"),
        ("On a crevé un pneu à Vierzon, quelle journée", "un garage ouvert dimanche ?", "Vierzon"),
        ("Vivo en Zamora desde marzo", "¿dónde puedo reciclar pilas?", "Zamora"),
        ("출장 때문에 군산 은파호수 근처에 묵고 있어", "근처에 빨래방 있어?", "군산 은파호수"),
    ],
)
def test_a_place_told_in_an_earlier_turn_is_where_things_are_looked_for(
    told: str, message: str, place: str
) -> None:
    assert place in queries(message, told, "Enjoy! What can I do for you?")[0]


def test_a_place_is_no_part_of_what_is_the_same_everywhere() -> None:
    told = "We've just settled into our cottage in Tenby"
    written = queries("why does ethanol boil below water", told, "Congratulations!")
    assert "Tenby" not in written[0]


def test_a_question_tells_no_place_of_the_person() -> None:
    english = _Rules.book.of("en")
    assert place_told("Is the toy museum in Penshurst open?", english) == ""
    assert place_told("I start work in Penshurst tomorrow. Is it nice?", english) == "Penshurst"


@pytest.mark.parametrize(
    ("question", "answer", "code", "name"),
    [
        (
            "is the house of the rising tides any good",
            "Critics like House of the Rising Tides a lot.",
            "en",
            "House of the Rising Tides",
        ),
        (
            "c'est où la halle aux grains",
            "La Halle aux Grains est à Toulouse",
            "fr",
            "Halle aux Grains",
        ),
        ("is the toy museum nice", "The museum is nice.", "en", ""),
        ("영화 바람의 언덕 봤어?", "네, 바람의 언덕은 2019년 영화입니다.", "ko", "바람의 언덕"),
        ("제주도에서 뭐 해?", "제주도에서는 산책이 좋습니다.", "ko", ""),
        ("小鹏G6长续航版多少钱", "小鹏G6长续航版的价格为20万元。", "zh", "小鹏G6长续航版"),
    ],
)
def test_the_name_is_what_question_and_answer_both_write(
    question: str, answer: str, code: str, name: str
) -> None:
    assert shared_name(question, answer, _Rules.book.of(code)) == name


@pytest.mark.parametrize(
    ("turns", "message", "sides"),
    [
        (
            ("what does the Brompton G Line weigh", "The Brompton G Line weighs about 14 kg."),
            "how does it compare to the Tern HSD in hills",
            ("Brompton G Line", "Tern HSD"),
        ),
        (
            ("比亚迪海豹07多少钱", "比亚迪海豹07的价格为15万元起。"),
            "跟小米SU7比哪个空间大",
            ("海豹07", "SU7"),
        ),
        (
            ("ダイソンV12の重さは", "ダイソンV12は2.2kgです。"),
            "シャープのEC-XR1と比べて音はどっちが静か？",
            ("V12", "EC-XR1"),
        ),
        (
            ("wie schwer ist der Thule Chariot", "Der Thule Chariot wiegt etwa 13 kg."),
            "und wie fährt der sich im Vergleich zum Croozer Vaaya, wir haben viel Schotter",
            ("Thule Chariot", "Croozer Vaaya"),
        ),
    ],
)
def test_a_comparison_with_one_side_takes_the_other_from_the_topic(
    turns: tuple[str, ...], message: str, sides: tuple[str, ...]
) -> None:
    first = queries(message, *turns)[0]
    assert all(side in first for side in sides)


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("hat der Bäcker Wellmann heute noch auf", "Öffnungszeiten"),
        ("how late is the Corner Larder in Frome", "opening hours"),
        ("¿hasta qué hora abre el mercado de Verónicas?", "horario"),
        ("cuánto está el kilo de percebes en Galicia", "precio"),
        ("연남동 다이소 몇 시까지 해?", "몇 시까지"),
        ("国立西洋美術館は何時までですか", "何時まで"),
    ],
)
def test_what_is_asked_of_a_thing_is_in_the_query(message: str, asked: str) -> None:
    assert asked in queries(message)[0]


@pytest.mark.parametrize(
    ("message", "site"),
    [
        ("https://www.the-salty-heron.example/menu do they do gluten free?", "Salty Heron"),
        ("https://www.freibad-muehlgrund.example/preise gibt es Zehnerkarten?", "Freibad"),
    ],
)
def test_a_page_with_a_single_word_is_named_with_its_site(message: str, site: str) -> None:
    assert site in queries(message)[0]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("jajaja vale. Oye, el horario del museo Chillida en agosto?", "museo Chillida"),
        ("haha brilliant. which river runs through Totnes?", "river runs Totnes"),
        ("passt, merci. braucht man für Georgien ein Visum?", "Georgien Visum"),
        ("哈哈，挺好的。对了，成都地铁3号线末班车几点", "3号线"),
    ],
)
def test_laughter_and_thanks_are_left_out(message: str, expected: str) -> None:
    written = queries(message, "tell me a joke", "Why did the duck cross the road?")
    assert expected in written[0]
    assert not {"jajaja", "haha", "passt", "merci", "哈哈"} & set(" ".join(written).split())


def test_questions_joined_by_a_sign_or_a_further_sentence_get_a_query_each() -> None:
    assert queries("do the ferries to Eigg run in winter & whats a return ticket") == [
        "ferries to Eigg run in winter",
        "Eigg return ticket",
    ]
    assert len(queries("고속버스 정기권 한달 얼마야? 그리고 환불 수수료도")) == 2


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("いすみ鉄道の一日乗車券はいくら？", "いすみ鉄道"),
        ("みずほのアプリが重い", "みずほ"),
        ("ひたちなかの海浜公園の見頃はいつ", "ひたちなか"),
    ],
)
def test_japanese_names_may_begin_in_hiragana(message: str, name: str) -> None:
    assert name in queries(message)[0]


@pytest.mark.parametrize("message", ["おいしいラーメン屋を教えて", "ところで東京タワーの高さは？"])
def test_everyday_words_in_hiragana_are_no_names(message: str) -> None:
    low = " ".join(queries(message))
    assert "おいしい" not in low
    assert "ところ" not in low


def test_a_place_that_the_message_names_needs_no_near_me() -> None:
    message = (
        "my uncle broke his leg and lies in Quarrybank hospital now. "
        "what are visiting times there and is there parking nearby?"
    )
    assert not any("near me" in text for text in queries(message))
