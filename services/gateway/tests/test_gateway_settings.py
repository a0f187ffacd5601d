"""The gateway refuses to stand open by accident, and explains itself."""

import pytest

from pellucid_gateway.domain.request import Depth
from pellucid_gateway.settings import GatewaySettings
from pellucid_gateway.turn_context.budgets import budgets_with
from pellucid_gateway.turn_context.plans import DEPTH_PLANS, plans_with
from pellucid_runtime.settings import WrongSettingError, load_settings


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GATEWAY_HOST", "GATEWAY_AUTH", "GATEWAY_PORT", "GRPC_PORT", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "pellucid.example"])
def test_an_open_address_without_keys_does_not_start(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("GATEWAY_HOST", host)

    with pytest.raises(WrongSettingError, match="GATEWAY_ALLOW_UNAUTHENTICATED") as caught:
        load_settings(GatewaySettings)
    assert "\n" not in str(caught.value)


def test_an_open_address_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_HOST", "0.0.0.0")
    monkeypatch.setenv("GATEWAY_ALLOW_UNAUTHENTICATED", "true")

    assert load_settings(GatewaySettings).gateway_host == "0.0.0.0"


def test_keys_need_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_AUTH", "keys")

    with pytest.raises(WrongSettingError, match="GATEWAY_KEYS_FILE"):
        load_settings(GatewaySettings)


def test_a_shown_challenge_needs_its_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_CHALLENGE_SCRIPT", "https://captcha.example/api.js")
    monkeypatch.setenv("GATEWAY_CHALLENGE_URL", "https://captcha.example/siteverify")
    with pytest.raises(WrongSettingError, match="GATEWAY_CHALLENGE_URL and _SITE_KEY"):
        load_settings(GatewaySettings)
    monkeypatch.setenv("GATEWAY_CHALLENGE_SITE_KEY", "public")

    assert load_settings(GatewaySettings).gateway_challenge_script


@pytest.mark.parametrize(
    "script", ["http://captcha.example/api.js", "https://a.example; img-src */x", "//a.example/x"]
)
def test_a_challenge_comes_by_https_from_one_host(
    monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setenv("GATEWAY_CHALLENGE_SCRIPT", script)

    with pytest.raises(WrongSettingError, match="GATEWAY_CHALLENGE_SCRIPT"):
        load_settings(GatewaySettings)


def test_defaults_are_the_documented_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_CORS_ORIGINS", "https://a.example, https://b.example,")
    monkeypatch.setenv("LLM_KNOWLEDGE_CUTOFF", "2025-06")

    settings = load_settings(GatewaySettings)

    assert (settings.gateway_port, settings.grpc_port, settings.metrics_port) == (8080, 50050, 9100)
    assert settings.gateway_cors_origins == ("https://a.example", "https://b.example")
    assert settings.llm_knowledge_cutoff.isoformat() == "2025-06-01"


def test_depths_and_budgets_can_be_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_DEPTHS", '{"deep": {"rounds": 2, "total_s": 30}}')
    monkeypatch.setenv("GATEWAY_BUDGETS", '{"search_s": 2.5}')
    settings = load_settings(GatewaySettings)

    plans = plans_with(settings.gateway_depths)
    assert (plans[Depth.DEEP].rounds, plans[Depth.DEEP].total_s) == (2, 30.0)
    assert plans[Depth.QUICK] == DEPTH_PLANS[Depth.QUICK]
    assert budgets_with(settings.gateway_budgets).search_s == 2.5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GATEWAY_DEPTHS", '{"deeper": {"rounds": 2}}'),
        ("GATEWAY_DEPTHS", '{"deep": {"laps": 2}}'),
        ("GATEWAY_DEPTHS", '{"deep": {"rounds": -1}}'),
        ("GATEWAY_BUDGETS", '{"search_s": 0}'),
        ("GATEWAY_BUDGETS", '{"lunch_s": 3}'),
    ],
)
def test_an_unknown_depth_or_stage_does_not_start(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(WrongSettingError, match=name):
        load_settings(GatewaySettings)
