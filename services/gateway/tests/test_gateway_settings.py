"""The gateway refuses to stand open by accident, and explains itself."""

import pytest

from pellucid_gateway.settings import GatewaySettings
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


def test_defaults_are_the_documented_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_CORS_ORIGINS", "https://a.example, https://b.example,")
    monkeypatch.setenv("LLM_KNOWLEDGE_CUTOFF", "2025-06")

    settings = load_settings(GatewaySettings)

    assert (settings.gateway_port, settings.grpc_port, settings.metrics_port) == (8080, 50050, 9100)
    assert settings.gateway_cors_origins == ("https://a.example", "https://b.example")
    assert settings.llm_knowledge_cutoff.isoformat() == "2025-06-01"
