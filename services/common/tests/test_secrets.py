"""Secrets from files: the newest value, the last good one, and their age."""

import math
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from pellucid_runtime import secrets
from pellucid_runtime.llm.settings import LlmSettings
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


def test_a_file_that_comes_after_the_start_is_used(tmp_path: Path) -> None:
    now = [0.0]
    path = tmp_path / "late_key"
    secret = SecretFile(path, lambda: now[0], otherwise="before")
    assert secret() == "before"
    write(path, "late")
    now[0] += 3
    assert secret() == "late"


def age_days(name: str) -> float:
    age_s = REGISTRY.get_sample_value("pellucid_secret_age_seconds", {"name": name})
    assert age_s is not None
    return age_s / 86_400


def days_ago(days: int) -> str:
    return (datetime.now(UTC).date() - timedelta(days=days)).isoformat()


def test_the_age_counts_from_the_day_given_and_not_from_the_file(folder: Path) -> None:
    write(folder / "openai_api_key", "x")
    write(folder / "secrets_created", f"openai_api_key={days_ago(100)}\n")
    load_settings(LlmSettings).secret("openai_api_key")
    assert 100 <= age_days("openai_api_key") < 101


def test_a_day_that_is_replaced_with_its_key_is_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "_LOOK_PERIOD_S", 0.0)
    write(folder / "openai_api_key", "x")
    write(folder / "secrets_created", f"openai_api_key={days_ago(100)}", age_s=60)
    load_settings(LlmSettings).secret("openai_api_key")
    write(folder / "secrets_created", f"openai_api_key={days_ago(1)}")
    assert 1 <= age_days("openai_api_key") < 2
    write(folder / "secrets_created", "openai_api_key=yesterday", age_s=-5)
    assert math.isnan(age_days("openai_api_key"))


def test_a_key_of_the_environment_has_an_age_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv(
        "SECRETS_CREATED", f"brave_search_api_key=2026-01-01,openai_api_key={days_ago(7)}"
    )
    load_settings(LlmSettings).secret("openai_api_key")
    assert 7 <= age_days("openai_api_key") < 8


def test_a_wrong_day_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRETS_CREATED", "openai_api_key=1st of May")
    with pytest.raises(WrongSettingError, match="SECRETS_CREATED: must be name=YYYY-MM-DD"):
        load_settings(LlmSettings)


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
