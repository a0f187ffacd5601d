"""What never leaves, and what looks like it and must pass untouched."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_search.payment_data import passes_luhn
from pellucid_search.redaction import Redactor

# Kind, the part that must go, the query around it. Test numbers of the issuers, or made up.
LEAKS: tuple[tuple[str, str, str], ...] = (
    ("card", "4111111111111111", "charge {} declined"),
    ("card", "4111 1111 1111 1111", "visa {} fees"),
    ("card", "4111-1111-1111-1111", "is {} valid"),
    ("card", "4111.1111.1111.1111", "card {}"),
    ("card", "４１１１ １１１１ １１１１ １１１１", "カード {} 不正"),
    ("card", "4111\u200b1111\u200b1111\u200b1111", "card {} charge"),
    ("card", "4111\u20111111\u20111111\u20111111", "card {} charge"),
    ("card", "4111\u00a01111\u00a01111\u00a01111", "card {} charge"),
    ("card", "٤١١١١١١١١١١١١١١١", "بطاقة {}"),
    ("card", "5555555555554444", "mastercard {} refund"),
    ("card", "2223003122003222", "new mastercard {}"),
    ("card", "378282246310005", "amex {}"),
    ("card", "3782 822463 10005", "amex {} charge"),
    ("card", "6011111111111117", "discover {}"),
    ("card", "3530111333300000", "jcb {}"),
    ("card", "30569309025904", "diners {}"),
    ("card", "6200000000000005", "unionpay {}"),
    ("card", "4222222222222", "old visa {}"),
    ("card", "4000 0566 5566 5556", "debit {} 12/28 123"),
    ("iban", "DE89370400440532013000", "wire to {}"),
    ("iban", "DE89 3704 0044 0532 0130 00", "Überweisung {} prüfen"),
    ("iban", "gb82 west 1234 5698 7654 32", "bank of {}"),
    ("iban", "FR14 2004 1010 0505 0001 3M02 606", "virement {}"),
    ("iban", "ES91 2100 0418 4502 0005 1332", "transferencia {}"),
    ("iban", "NL91ABNA0417164300", "which bank {}"),
    ("iban", "CH93-0076-2011-6238-5295-7", "konto {}"),
    ("iban", "ＤＥ８９３７０４００４４０５３２０１３０００", "iban {}"),
    ("ssn", "123-45-6789", "ssn {} stolen"),
    ("ssn", "123 45 6789", "social security {}"),
    ("ssn", "123456789", "my ssn is {}"),
    ("ssn", "900-70-1234", "itin {}"),
    ("ssn", "900101-1234568", "주민등록번호 {}"),
    ("ssn", "11010519491231002X", "身份证 {}"),
    ("ssn", "AB123456C", "national insurance {}"),
    ("ssn", "AB 12 34 56 C", "nino {}"),
    ("ssn", "12345678Z", "dni {}"),
    ("ssn", "X1234567L", "nie {}"),
    ("ssn", "2 55 08 14 168 025 38", "sécurité sociale {}"),
    ("ssn", "1234 5678 9012", "マイナンバー {}"),
    ("ssn", "12 345 678 903", "Steuer-ID {}"),
    ("secret", "sk-proj-a1B2c3D4e5F6g7H8i9J0", "openai error {}"),
    ("secret", "sk-ant-api03-abcDEF123456ghiJKL", "{} rejected"),
    ("secret", "sk_live_abcdef123456ABCDEF", "stripe {}"),
    ("secret", "AKIAIOSFODNN7EXAMPLE", "aws {} denied"),
    ("secret", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "git push {}"),
    ("secret", "github_pat_11ABCDEFG0abcdefghij_klmnop", "{}"),
    ("secret", "glpat-abcdefghij0123456789", "gitlab {} expired"),
    ("secret", "xoxb-123456789012-abcdefghijkl", "slack bot {}"),
    ("secret", "AIzaSyA1234567890abcdefghijklmnopqrstu", "maps key {}"),
    ("secret", "hf_abcdefghijklmnopqrstuvwx", "hub {}"),
    ("secret", "tvly-abcdefghijklmnop", "tavily {}"),
    ("secret", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123-_x", "decode {}"),
    ("secret", "-----BEGIN PRIVATE KEY----- MIIBVgIBADANBg -----END PRIVATE KEY-----", "read {}"),
    ("secret", "alice:s3cret", "https://{}@git.example.com/repo"),
    ("secret", "tok_9f8e7d6c5b", "https://api.example.com/x?access_token={}"),
    ("secret", "Tr0ub4dor&3", "password={} hash"),
    ("secret", "hunter2hunter2", "password: {} leaked"),
    ("secret", "비밀9876x", "비밀번호: {} 변경"),
    ("secret", "abcdef0123456789abcdef", "Authorization Bearer {}"),
    ("email", "jane.doe@example.com", "who is {}"),
    ("email", "jane.doe+news@mail.example.co.uk", "unsubscribe {}"),
    ("email", "ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ", "mail {}"),
    ("email", "jane at example dot com", "contact {}"),
    ("email", "jane [at] example [dot] org", "contact {}"),
    ("email", "홍길동@example.co.kr", "메일 {}"),
    ("phone", "+1 415-555-2671", "owner of {}"),
    ("phone", "(415) 555-2671", "call {} spam"),
    ("phone", "+44 20 7946 0958", "call from {}"),
    ("phone", "010-1234-5678", "전화 {} 누구"),
    ("phone", "+82 10 1234 5678", "번호 {}"),
    ("phone", "090-1234-5678", "電話 {} 誰"),
    ("phone", "138 0013 8000", "电话 {} 归属地"),
    ("phone", "+49 30 901820", "Anruf von {}"),
    ("phone", "06 12 34 56 78", "appel du {}"),
    ("phone", "612 34 56 78", "llamada del {}"),
    ("ip", "203.0.113.7", "who owns {}"),
    ("ip", "10.20.30.40", "{} unreachable"),
    ("ip", "2001:db8::8a2e:370:7334", "ping {}"),
)

UNTOUCHED = (
    "order 112-3456789-1234567 status",
    "order number 4111111111111112",
    "tracking 1Z999AA10123456784",
    "tracking 9400111899223197428490",
    "ISBN 978-3-16-148410-0",
    "ISBN 9783161484100 review",
    "EAN 4006381333931",
    "part number 555-123-4567",
    "part no. 06L-115-562-B",
    "BMW 11428507683 oil filter",
    "RTX 4090 vs RTX 5090",
    "python 3.11.7 release notes",
    "version 10.0.19045.3803 windows",
    "chrome 120.0.6099.109 bug",
    "v1.2.3.4 changelog",
    "nginx 1.25.3 config",
    "release 2.4.6.8 notes",
    "RFC 2616 section 14.9.3",
    "127.0.0.1 refused",
    "localhost 0.0.0.0 bind",
    "netmask 255.255.255.0",
    "CVE-2024-3094 xz",
    "KB5034441 error 0x80070643",
    "arXiv 1706.03762",
    "doi 10.1145/3292500.3330701",
    "patent US 10,123,456 B2",
    "serial 123456789012",
    "model WH-1000XM5 review",
    "flight LH 1234 status",
    "population 1 412 600 000 india",
    "12,345,678 divided by 9",
    "3.14159265358979",
    "1234567890123456789012345",
    "2024-12-15 2025-01-20 exchange rate",
    "2024-01-01T12:30:45Z to unix time",
    "1734250200 unix timestamp",
    "12:30:45 timer",
    "MAC aa:bb:cc:dd:ee:ff vendor",
    "std::vector emplace_back",
    "a::b::c rust path",
    "git commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "what is a jwt token",
    "token: how to renew it",
    "password: best practices",
    "password manager comparison 2026",
    "secret: the musical",
    "how do sk- api keys work",
    "@example handle on social media",
    "email etiquette at work dot points",
    "what time is it at the dot com office",
    "iban checksum algorithm mod 97",
    "DE000BASF111 stock",
    "US0378331005 isin",
    "ssn format xxx-xx-xxxx",
    "000-12-3456 test number",
    "911 and 112 emergency numbers",
    "1-2-3 sudoku",
    "4-4-2 formation",
    "24601 les miserables",
    "삼성 SM-S928N 배터리",
    "국도 7호선 123번",
    "iPhone 15 価格 124,800円",
    "故宫 1420 年",
    "http://example.com/path?page=2&sort=asc",
    "https://example.com/item/4111",
    "tel aviv weather",
    "call of duty 2026",
    "phone 16 pro max 256",
)  # fmt: skip


def test_the_tables_are_long_enough_to_mean_something() -> None:
    assert len(LEAKS) >= 50
    assert len(set(UNTOUCHED)) >= 50


@pytest.mark.parametrize(("kind", "datum", "around"), LEAKS)
def test_personal_data_are_taken_out_and_reported(kind: str, datum: str, around: str) -> None:
    redacted = Redactor().redact(around.format(datum))

    assert kind in redacted.kinds
    assert datum not in redacted.text
    assert _longest_common_run(datum, redacted.text) < 5


def _longest_common_run(datum: str, text: str) -> int:
    """Longest piece of the datum's letters and digits that is still in the text."""
    parts = [part for part in _words(datum) if any(char.isdigit() for char in part)]
    return max((len(part) for part in parts if part in text), default=0)


def _words(datum: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in datum).split()


@pytest.mark.parametrize("query", UNTOUCHED)
def test_look_alikes_pass_untouched(query: str) -> None:
    assert Redactor().redact(query).text == query


@pytest.mark.parametrize(
    ("question", "query", "kept"),
    [
        ("who called me from +1 415-555-2671?", "+1 415-555-2671 who called", True),
        ("whose address is jane@example.com", "jane@example.com owner", True),
        ("where is 203.0.113.7 located", "203.0.113.7 location", True),
        ("write a mail to jane@example.com", "mail jane@example.com", False),
        ("who called me from +1 415-555-2671?", "+44 20 7946 0958 who called", False),
    ],
)
def test_the_subject_of_a_look_up_passes_only_when_permitted(
    question: str, query: str, kept: Any
) -> None:
    permitted = Redactor(permit_subject=True).redact(query, question=question)
    default = Redactor().redact(query, question=question)

    assert (permitted.text == query) is kept
    assert default.text != query


def test_cards_and_secrets_go_even_when_the_question_is_about_them() -> None:
    card = "4111 1111 1111 1111"
    redacted = Redactor(permit_subject=True).redact(f"who owns {card}", question=f"whose is {card}")

    assert redacted.kinds == ("card",)


@given(st.text(max_size=200))
def test_redaction_is_idempotent_and_never_fails(text: str) -> None:
    once = Redactor().redact(text)

    assert Redactor().redact(once.text).kinds == ()


@given(st.integers(min_value=10**11, max_value=10**14 - 1), st.sampled_from(["", " ", "-"]))
def test_every_visa_number_goes_however_it_is_grouped(body: int, mark: str) -> None:
    digits = f"4{body:014d}"
    digits += next(check for check in "0123456789" if passes_luhn(digits + check))
    grouped = mark.join(digits[start : start + 4] for start in range(0, 16, 4))

    assert Redactor().redact(f"pay {grouped} now").text == "pay now"
