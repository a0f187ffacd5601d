"""Walls in seven languages are recognised, and pages that only mention one are none."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from pellucid_fetcher.document import Document
from pellucid_fetcher.extraction.reading.html import HtmlReader, open_html_reader
from pellucid_fetcher.outcome import FetchStatus

EVAL = Path(__file__).parents[3] / "eval"
BOT = "bot_wall"

# kind of wall, language, title, body
WALLS = [
    (BOT, "en", "Security check", "Please verify that you are not a robot to go on."),
    (BOT, "ko", "확인", "계속하려면 사람인지 확인해 주세요."),
    (BOT, "zh", "安全验证", "您的访问过于频繁，请完成验证后继续。"),
    (BOT, "ja", "確認", "私はロボットではありません。チェックを入れてください。"),
    (BOT, "es", "Verificación de seguridad", "Confirme que no es un robot."),
    (BOT, "de", "Einen Moment", "Bitte bestätigen Sie, dass Sie ein Mensch sind."),
    (BOT, "fr", "Vérification de sécurité", "Vérifiez que vous n'êtes pas un robot."),
    ("paywall", "en", "Tides", "The harbour was quiet. Subscribe to continue reading."),
    ("paywall", "ko", "조수", "항구는 조용했다. 이 글은 유료 회원 전용입니다."),
    ("paywall", "zh", "潮汐", "港口很安静。订阅后可阅读全文。"),
    ("paywall", "ja", "潮", "港は静かだった。この記事は有料会員限定です。"),
    ("paywall", "es", "Mareas", "El puerto dormía. Suscríbete para seguir leyendo."),
    ("paywall", "de", "Gezeiten", "Der Hafen schlief. Dieser Artikel ist nur für Abonnenten."),
    ("paywall", "fr", "Marées", "Le port dormait. Article réservé aux abonnés."),
    ("login_wall", "en", "Log in", "Please sign in to continue."),
    ("login_wall", "ko", "로그인", "로그인이 필요한 서비스입니다."),
    ("login_wall", "zh", "登录", "请先登录，再查看这个页面。"),
    ("login_wall", "ja", "ログイン", "このページを見るにはログインが必要です。"),
    ("login_wall", "es", "Iniciar sesión", "Inicia sesión para continuar."),
    ("login_wall", "de", "Anmelden", "Bitte melden Sie sich an, um die Seite zu sehen."),
    ("login_wall", "fr", "Connexion", "Connectez-vous pour continuer."),
    ("consent_page", "en", "Before you continue", "Accept all cookies or reject them."),
    ("consent_page", "ko", "계속하기 전에", "모든 쿠키를 허용하거나 거부하세요."),
    ("consent_page", "zh", "继续之前", "接受所有 cookies 或者拒绝。"),
    ("consent_page", "ja", "続行する前に", "すべてのクッキーを許可しますか。"),
    ("consent_page", "es", "Antes de continuar", "Aceptar todas las cookies o elegir."),
    ("consent_page", "de", "Bevor Sie fortfahren", "Alle akzeptieren oder auswählen."),
    ("consent_page", "fr", "Avant de continuer", "Accepter tous les cookies ou choisir."),
    ("soft_404", "en", "Oops", "We could not find the page. Perhaps it has moved."),
    ("soft_404", "ko", "안내", "요청하신 페이지를 찾을 수 없습니다."),
    ("soft_404", "zh", "提示", "您访问的页面不存在。"),
    ("soft_404", "ja", "お知らせ", "お探しのページは見つかりませんでした。"),
    ("soft_404", "es", "Vaya", "La página que busca no existe."),
    ("soft_404", "de", "Hoppla", "Die gesuchte Seite wurde nicht gefunden."),
    ("soft_404", "fr", "Oups", "La page que vous cherchez n'existe plus."),
]


@pytest.fixture(scope="module", name="reader")
def reader_fixture() -> HtmlReader:
    return open_html_reader()


def _page(lang: str, title: str, body: str) -> Document:
    text = f"<html lang={lang}><head><title>{title}</title></head><body><main><p>{body}</p></main>"
    return Document(text.encode(), "http://lantern.example/x", "text/html", "utf-8")


@pytest.mark.parametrize(
    ("wall", "lang", "title", "body"), WALLS, ids=[f"{wall}-{lang}" for wall, lang, *_ in WALLS]
)
def test_a_wall_is_recognised(
    reader: HtmlReader, wall: str, lang: str, title: str, body: str
) -> None:
    found = reader.read(_page(lang, title, body))
    if wall == BOT:
        assert found.status is FetchStatus.BLOCKED_BY_SITE
    else:
        assert found.status is FetchStatus.OK
        assert wall in found.warnings


def test_a_question_in_front_of_a_page_that_is_there_is_no_wall(reader: HtmlReader) -> None:
    text = "The tower was lifted by forty jacks and rolled on two beams to the old chapel. " * 4
    asked = "<div role=dialog class=overlay><p>We and our 812 partners use cookies.</p></div>"
    found = reader.read(_page("en", "Lighthouse moved", f"{text}</p></main>{asked}<main><p>"))
    assert found.text.strip() == text.strip()
    assert found.warnings == ()


def test_ordinary_pages_are_no_walls_although_they_ask_for_cookies_and_letters(
    reader: HtmlReader,
) -> None:
    sys.path.insert(0, str(EVAL))
    try:
        pages = list(import_module("pages.labelled").labelled_pages())
    finally:
        sys.path.remove(str(EVAL))
    found = {
        page.id: reader.read(Document(page.body, page.url, "text/html", "utf-8")) for page in pages
    }
    assert {name: one.warnings for name, one in found.items() if one.warnings} == {}
    assert {one.status for one in found.values()} == {FetchStatus.OK}
