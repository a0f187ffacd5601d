"""Secrets from files: the newest value, the last good one, and their age."""

import os
import time
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from pellucid_runtime.llm_settings import LlmSettings
from pellucid_runtime.secrets import SecretFile
from pellucid_runtime.settings import WrongSettingError, load_settings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SECRETS_DIR", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path


def write(path: Path, text: str, *, age_s: float = 0) -> None:
    path.write_text(text, "utf-8")
    written = time.time() - age_s
    os.utime(path, (written, written))


def test_a_new_value_is_used_from_then_on(tmp_path: Path) -> None:
    now = [0.0]
    path = tmp_path / "openai_api_key"
    write(path, "first\n", age_s=60)
    secret = SecretFile(path, lambda: now[0])
    assert secret() == "first"
    write(path, "second\n")
    assert secret() == "first"  # not looked at again so soon
    now[0] += 3
    assert secret() == "second"


def test_the_last_value_stays_while_the_file_is_away_or_empty(tmp_path: Path) -> None:
    now = [0.0]
    path = tmp_path / "openai_api_key"
    write(path, "first", age_s=60)
    secret = SecretFile(path, lambda: now[0])
    path.unlink()
    now[0] += 3
    assert secret() == "first"
    write(path, "")
    now[0] += 3
    assert secret() == "first"
    write(path, "second", age_s=-5)
    now[0] += 3
    assert secret() == "second"


def test_the_age_is_a_metric(tmp_path: Path) -> None:
    path = tmp_path / "some_test_key"
    write(path, "x", age_s=86_400 * 100)
    SecretFile(path)
    age = REGISTRY.get_sample_value("pellucid_secret_age_seconds", {"name": "some_test_key"})
    assert age == pytest.approx(86_400 * 100, abs=60)


def test_settings_follow_the_file(folder: Path) -> None:
    write(folder / "openai_api_key", "from-file", age_s=60)
    settings = load_settings(LlmSettings)
    assert settings.has_llm
    assert settings.secret("openai_api_key")() == "from-file"
    assert settings.secret("llm_fallback_api_key")() == ""


def test_the_environment_comes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder / "openai_api_key", "from-file")
    monkeypatch.setenv("OPENAI_API_KEY", "from-environment")
    assert load_settings(LlmSettings).secret("openai_api_key")() == "from-environment"


def test_prices_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_PRICES", "small-model=0.15/0.60, org/big=3/15")
    assert load_settings(LlmSettings).llm_prices == {
        "small-model": (0.15, 0.60),
        "org/big": (3, 15),
    }


@pytest.mark.parametrize("prices", ["small-model", "small-model=1", "small-model=1/-2", "m=a/b"])
def test_wrong_prices_stop_the_start(monkeypatch: pytest.MonkeyPatch, prices: str) -> None:
    monkeypatch.setenv("LLM_PRICES", prices)
    with pytest.raises(WrongSettingError, match="LLM_PRICES"):
        load_settings(LlmSettings)
