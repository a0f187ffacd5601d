"""A provider's key that is replaced in its file is used from the next call on."""

from pathlib import Path

import pytest

from pellucid_runtime.settings import load_settings
from pellucid_search.provider_wiring import endpoint_of
from pellucid_search.providers.registry import REGISTRY
from pellucid_search.settings import SearchSettings


@pytest.mark.parametrize("provider", [spec.name for spec in REGISTRY.values() if spec.key])
def test_a_renewed_key_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv("SECRETS_DIR", str(tmp_path))
    monkeypatch.setattr("pellucid_runtime.secrets._LOOK_PERIOD_S", 0)
    file = REGISTRY[provider].key.lower()
    (tmp_path / file).write_text("first\n", "utf-8")
    endpoint = endpoint_of(REGISTRY[provider], load_settings(SearchSettings))
    assert endpoint().key == "first"
    (tmp_path / file).write_text("second, longer\n", "utf-8")
    assert endpoint().key == "second, longer"
