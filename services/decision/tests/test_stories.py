"""Messages that tell a story around their question, and what the query takes from it."""

import asyncio
from datetime import UTC, datetime

import pytest

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.question.rarity import commonness
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.text.conversation import Ask, WebMode

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)


class _Rules:
    book = RulesFolder().book


def queries(message: str) -> list[str]:
    ask = Ask(message, NOW, CUTOFF, web_mode=WebMode.ON, max_queries=2)
    return [query.text for query in asyncio.run(Cascade(_Rules()).decide(ask)).queries]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            (
                "I'm taking my mum to Harrowmere next weekend, she walks badly - is there a "
                "step-free ferry and what does it cost?"
            ),
            ["Harrowmere step-free ferry", "Harrowmere step-free ferry cost"],
        ),
        (
            (
                "My son starts at Skerry university in August. He needs a room for the first "
                "month. Are there any student hostels and how much are they?"
            ),
            [
                "Skerry university student hostels",
                "Skerry university student hostels price",
            ],
        ),
        (
            (
                "I booked a flight with Norse Corvid for March and now I need a knee operation. "
                "Can I get a refund with a doctor's note?"
            ),
            ["Norse Corvid refund with a doctor note"],
        ),
        (
            (
                "Our dog ate half a bar of chocolate an hour ago, he's a beagle. "
                "Do we need to go to the vet?"
            ),
            ["chocolate beagle vet"],
        ),
        (
            (
                "Mi hijo de 4 años tiene fiebre desde ayer y estamos de vacaciones en Cádiz. "
                "¿Hay urgencias pediátricas abiertas el domingo?"
            ),
            ["Cádiz urgencias pediátricas abiertas domingo"],
        ),
        (
            (
                "Wir fahren Ostern mit dem Wohnmobil über die Großglockner Hochalpenstraße. "
                "Was kostet die Maut und ist da überhaupt schon offen?"
            ),
            ["Großglockner Hochalpenstraße Maut Preis", "Großglockner Hochalpenstraße offen"],
        ),
    ],
)
def test_a_question_takes_the_names_of_its_story(message: str, expected: list[str]) -> None:
    assert queries(message) == expected


@pytest.mark.parametrize(
    ("message", "absent"),
    [
        (
            (
                "ok so this has been bugging me for days, Pickles is a 3 year old cat and she "
                "sneezes at night, my dad says it's dust, what could make a cat sneeze so much?"
            ),
            "Pickles",
        ),
        (
            (
                "My sister Emma keeps arguing with my boss Frank about this over lunch every week. "
                "Is creatine safe for teenagers under sixteen?"
            ),
            "Emma",
        ),
        (
            (
                "Mein Nachbar Uwe hat sich jetzt so ein Balkonkraftwerk geholt und schwärmt davon. "
                "Muss man ein Balkonkraftwerk beim Vermieter anmelden?"
            ),
            "Uwe",
        ),
    ],
)
def test_people_of_a_story_are_not_searched_for(message: str, absent: str) -> None:
    assert absent not in " ".join(queries(message))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            (
                "My aunt has been prescribed apixaban and she loves grapefruit juice. "
                "Can she still drink it?"
            ),
            ["apixaban grapefruit still drink"],
        ),
        ("강아지가 초콜릿을 조금 먹었어요. 병원 가야 하나요?", ["강아지 초콜릿 병원"]),
        ("我女儿今年考上了浙江大学,9月开学。宿舍有空调吗?", ["浙江大学 宿舍 空调"]),
    ],
)
def test_a_question_that_says_little_takes_the_rarest_words(
    message: str, expected: list[str]
) -> None:
    assert queries(message) == expected


@pytest.mark.parametrize(
    ("language", "common", "name"),
    [
        ("en", "dog", "Ondry"),
        ("de", "Hund", "Ondry"),
        ("ko", "병원", "온드리"),
        ("zh", "公司", "大理"),
    ],
)
def test_a_name_is_rarer_than_a_word(language: str, common: str, name: str) -> None:
    assert commonness(common, language) > commonness(name, language)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            (
                "다음 주에 부모님 모시고 통영에 가요. 어머니가 무릎이 안 좋으신데 "
                "케이블카에 휠체어 탈 수 있나요?"
            ),
            ["통영 케이블카 휠체어"],
        ),
        ("그 카페 아직도 영업하나요? 성수동 오르에르요", ["성수동 오르에르 카페 영업"]),
        ("온드리 다리 개통했나요?", ["온드리 다리 개통"]),
        (
            "我下个月带爸妈去大理玩,我妈腿脚不太好,苍山索道能坐轮椅上去吗?",
            ["大理 苍山索道 坐轮椅上去"],
        ),
        (
            "来月、足の悪い祖母を連れて直島に行きます。フェリーに車椅子のまま乗れますか?",
            ["直島 フェリー 車椅子 乗れる"],
        ),
        (
            "この前できた麻布台ヒルズのスーパー、深夜も開いてますか",
            ["麻布台ヒルズ スーパー 深夜 開く"],
        ),
        (
            (
                "작년에 산 다이슨 청소기가 어제부터 충전이 안되거든요 서비스센터 갔더니 "
                "배터리 교체하래요. 배터리 가격 얼마나 할까요?"
            ),
            ["다이슨 청소기 배터리 가격"],
        ),
        (
            "옆집에서 밤마다 세탁기를 돌리거든? 몇 번을 말해도 소용없음. 층간소음은 어디에 신고해?",
            ["옆집 층간소음 신고"],
        ),
        (
            "노트북 발열 심한데 쿨링패드 없이 온도 낮추는 법",
            ["노트북 쿨링패드 없이 온도 낮추는 법"],
        ),
        (
            (
                "長文すみません。結局ほとんど私と妻の由美で家の片付けをやりました。庭の梅の木をどうするかで"
                "もめています。固定資産税の減免が使えると聞いたのですが、空き家でも対象になるのでしょうか。"
            ),
            ["固定資産税 減免 空き家 対象"],
        ),
        (
            "友達は交番に行けば?って言うけど大げさかなと思っています。盗難届は何日以内に出せばいい?",
            ["交番 盗難届 何日以内 出す"],
        ),
        (
            "リョービの18Vと京セラの充電ドライバー、棚作るくらいのDIYならどっちがいい?",
            ["リョービ 18V 京セラ 充電ドライバー 棚 DIY"],
        ),
        (
            "マイナンバーカードの更新、期限過ぎたら手数料かかるって聞いたんだけど本当?",
            ["マイナンバーカード 更新 期限過ぎ 手数料 本当"],
        ),
        (
            (
                "上周搬家累坏了，新家是老小区，早上厨房水龙头放出来的水是黄的。"
                "想问下自来水刚放出来发黄是什么原因？"
            ),
            ["自来水刚放出来发黄 原因"],
        ),
        (
            "帮我查俩事儿 苏州博物馆周一开不开门 还有苏州站寄存行李怎么收费",
            ["苏州博物馆周一开不开门", "苏州站寄存行李 怎么 收费"],
        ),
    ],
)
def test_a_story_without_blanks_ends_where_the_question_begins(
    message: str, expected: list[str]
) -> None:
    assert queries(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Braucht man in Dänemark eine Vignette?", ["Dänemark Vignette"]),
        ("kostet die Brücke in Ondry was für Anwohner?", ["Brücke in Ondry Anwohner Kosten"]),
        ("¿Abre el mercado de San Miguel los lunes?", ["mercado de San Miguel lunes horario"]),
    ],
)
def test_a_verb_does_not_open_a_query(message: str, expected: list[str]) -> None:
    assert queries(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "which is cheaper to run, a heat pump or a gas boiler?",
            ["heat pump gas boiler cheaper run"],
        ),
        (
            "is oat milk or almond milk worse for the planet",
            ["oat milk almond milk worse planet"],
        ),
        ("was ist günstiger, Wärmepumpe oder Gasheizung?", ["Wärmepumpe vs Gasheizung günstiger"]),
        ("¿qué es mejor para el suelo, el parqué o el vinilo?", ["parqué vs vinilo mejor suelo"]),
    ],
)
def test_kinds_are_compared_side_by_side(message: str, expected: list[str]) -> None:
    assert queries(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "quanto custa o passe mensal do metro do Porto?",
            ["passe mensal metro do Porto preço"],
        ),
        (
            (
                "Vou mudar para Braga em janeiro com a minha namorada. "
                "Quanto é a renda média de um apartamento?"
            ),
            ["Braga renda média de um apartamento"],
        ),
    ],
)
def test_portuguese_is_cut_by_its_own_words(message: str, expected: list[str]) -> None:
    assert queries(message) == expected


@pytest.mark.parametrize(
    ("message", "expected", "absent"),
    [
        ("hotels in Ghent, but not the Corvid, we went there", "Ghent", "Corvid"),
        ("Bücher über Island, aber keine Krimis", "Island", "Krimis"),
        ("un volcan en Auvergne, mais pas Corvidia, c'est trop cher", "Auvergne", "Corvidia"),
        ("busco una ruta por Gredos que no sea la Laguna Grande", "Gredos", "Laguna"),
        ("강남역 근처 회식 장소 추천, 고깃집은 빼고", "강남역", "고깃집"),
        ("箱根の日帰り温泉、ただしコルヴィド以外で", "箱根", "コルヴィド"),
        ("推荐几个成都的博物馆，不要金沙的，去过了", "成都", "金沙"),
    ],
)
def test_what_is_ruled_out_is_not_searched_for(message: str, expected: str, absent: str) -> None:
    joined = " ".join(queries(message))
    assert expected in joined
    assert absent not in joined
