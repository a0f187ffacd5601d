"""Where somebody lives, a relative's date of birth, numbers under which somebody is kept."""

import pytest

from pellucid_language.pii.gate import Redactor


@pytest.mark.parametrize(
    ("message", "value"),
    [
        ("we live at 27 Larch Example Road, is there fibre yet", "27 Larch Example Road"),
        ("my aunt lives at 27 Larch Example Road, which bus goes there", "27 Larch Example Road"),
        (
            "Wir ziehen nach Beispielweg 27b, 04277 Leipzig. Wer hat dort Glasfaser?",
            "Beispielweg 27b",
        ),
        ("j'habite 12 rue des Exemples à Lyon, coupure d'eau ?", "12 rue des Exemples"),
        ("Vivo en la calle Ejemplo Rosal 38, 3º B, se ha ido la luz", "Ejemplo Rosal 38"),
        ("이번에 예시로 48번길 17, 302동 1104호로 이사하는데 스티커 가격", "48번길 17"),
        ("我家在成都市示例巷46号2栋1单元903,今天停水了", "46号2栋"),
        ("my daughter, born 14.03.2019, starts school when?", "14.03.2019"),
        ("息子は2021年8月19日生まれです。助成は?", "2021年8月19日"),
        ("customer no 8841 20957, how do I move my direct debit", "8841 20957"),
        ("Versichertennr A448209317, zahlt die Kasse?", "A448209317"),
        ("Kundennummer 4711/12345678, wie kündige ich?", "4711/12345678"),
        ("mi número de cliente 5566 7788 no entra en la web", "5566 7788"),
        ("is there a recall for a Golf 7 with WVWZZZAU9HW158204", "WVWZZZAU9HW158204"),
        ("the sticker says 83924710562839104756, is that the key", "83924710562839104756"),
        ("the courier typed 58B31 at the door and it says invalid", "58B31"),
    ],
)
def test_what_belongs_to_somebody_goes(message: str, value: str) -> None:
    redacted = Redactor().redact(message)
    assert redacted.kinds
    assert value not in redacted.text


@pytest.mark.parametrize(
    "message",
    [
        "who lives at 10 Downing Street",
        "opening hours Wilhelmstraße 77 Berlin 1918",
        "qué edificio de Gaudí está en Passeig de Gràcia, 43",
        "東京タワーの住所は芝公園4-2-8で合ってる?",
        "Goethe geboren am 28.08.1749",
        "VIN 1HGCM82633A004352 decode",
        "tracking 9400111899223197428490",
        "is 900 123 505 a number of the DGT",
        "1588-9999가 국민은행 고객센터 번호 맞는지",
        "customer number 1 in the 2026 awards",
        "policy no 2016/679 of the EU",
        "best crypto 2026",
        "is the engine of the Porsche 911 at the back",
        "삼성증권 016360 주가",
        "환자 10000명당 의사 수 한국",
        "pretax income 10000000",
        "when did the mayor move into 10 Downing Street",
        "Ich wohne in Berlin, wie bekomme ich einen Kitaplatz 2026?",
        "who lives at 27 Larch Example Road?",
        "Vivo en Madrid, cuánto cuesta hacer el Camino de Santiago 2026",
        "J'habite à Lyon, combien coûtent 10 cours de yoga ?",
        "I live in London, when is the 2026 Notting Hill Carnival?",
        "서울에서 부산으로 10톤 이사 비용 얼마야?",
    ],
)
def test_what_is_public_stays(message: str) -> None:
    assert Redactor().redact(message).text == message
