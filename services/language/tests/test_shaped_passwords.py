"""Passwords told by their form where somebody signs in; what only looks alike stays."""

import pytest

from pellucid_language.pii.credentials import find_secrets


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_secrets(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("para el correo pongo Perro_Azul#57 y sale un error", "Perro_Azul#57"),
        ("네이버 로그인할 때 bada!1987 치면 캡차가 떠", "bada!1987"),
        ("うちのWi-Fiは「kitsune2031go」って入れる", "kitsune2031go"),
        ("unser WLAN macht Apfelmus2018! auf, trotzdem langsam", "Apfelmus2018!"),
        ("la wifi va con Naranja.Roja.41 y no conecta", "Naranja.Roja.41"),
        ("my account at the library: Otter-River-88 works nowhere", "Otter-River-88"),
        ("paid with 4111 1111 1111 1111 exp 09/29 at the desk", "09/29"),
    ],
)
def test_what_is_shaped_like_a_password_goes(text: str, value: str) -> None:
    assert any(value in one for one in found(text))


@pytest.mark.parametrize(
    "text",
    [
        "Perro_Azul#57 is the name of which song?",
        "login fails with error_403 and issue#31 since build-2041",
        "wifi on the galaxy-s26 drops behind a WSR-5400 router with sha-256",
        "sign in page shows AADSTS50011 after version 2031.4",
        "router Archer AX55 vs XDR5480, which one for wifi 7?",
        "is the 09/29 train cancelled?",
    ],
)
def test_what_only_looks_alike_stays(text: str) -> None:
    assert found(text) == []
