"""Clock, admission, supervision, log lines, and the dependency of domain-facing modules."""

import asyncio
import json
import logging
import subprocess
import sys
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog

from pellucid_runtime.clock import FixedClock, SystemClock, clock_from
from pellucid_runtime.errors import OverloadedError
from pellucid_runtime.llm.settings import LlmSettings
from pellucid_runtime.rpc.admission import Admission
from pellucid_runtime.settings import ServiceSettings, WrongSettingError, load_settings
from pellucid_runtime.supervision import supervise
from pellucid_runtime.telemetry.logs import configure_logging


def test_system_clock_is_aware_and_utc() -> None:
    assert SystemClock().now().utcoffset() == timedelta(0)


def test_pinned_clock_stands_while_its_stopwatch_runs() -> None:
    instant = datetime(2026, 3, 1, 12, tzinfo=UTC)
    clock = clock_from(ServiceSettings(pellucid_clock=instant))
    before = clock.monotonic()
    assert clock.now() == clock.now() == instant
    assert clock.monotonic() > before


def test_without_setting_the_clock_is_the_machines() -> None:
    clock = clock_from(ServiceSettings())
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=5)


def test_fixed_clock_moves_both_hands() -> None:
    clock = FixedClock(datetime(2026, 3, 1, tzinfo=UTC))
    clock.advance(90)
    assert clock.now() == datetime(2026, 3, 1, 0, 1, 30, tzinfo=UTC)
    assert clock.monotonic() == 90


def test_admission_refuses_beyond_its_limit_and_gives_back() -> None:
    admission = Admission(1, queue="encode", retry_after_s=0.5)
    with admission.permit():
        with pytest.raises(OverloadedError) as caught, admission.permit():
            pytest.fail("a second permit")
        assert admission.in_progress == 1
    assert admission.in_progress == 0
    assert caught.value.metadata == {"queue": "encode"}
    assert caught.value.retry_after_s == 0.5


def test_permit_is_given_back_after_a_failure() -> None:
    admission = Admission(1)
    with pytest.raises(ZeroDivisionError), admission.permit():
        raise ZeroDivisionError
    assert admission.in_progress == 0


async def test_failing_work_is_started_again_and_told() -> None:
    attempts: list[int] = []
    done = asyncio.Event()

    async def work() -> None:
        attempts.append(1)
        if len(attempts) < 3:
            raise ValueError
        done.set()

    async with AsyncExitStack() as stack:
        with structlog.testing.capture_logs() as lines:
            task = supervise(stack, "refresh", work, first_pause_s=0.01)
            await asyncio.wait_for(done.wait(), 10)
            await task
    assert len(attempts) == 3
    assert [(line["event"], line["task"]) for line in lines] == [("task_failed", "refresh")] * 2


async def test_closing_the_stack_ends_supervised_work() -> None:
    async with AsyncExitStack() as stack:
        task = supervise(stack, "forever", asyncio.Event().wait)  # type: ignore[arg-type]
        await asyncio.sleep(0)
    assert task.cancelled()


def test_secrets_may_come_as_mounted_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "openai_api_key").write_text("from a file\n")
    monkeypatch.setenv("SECRETS_DIR", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    key = load_settings(LlmSettings).openai_api_key
    assert key is not None
    assert key.get_secret_value() == "from a file"


def test_log_level_may_be_written_in_capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_LEVEL", "WARNING")
    assert load_settings(ServiceSettings).log_level == "warning"


def test_several_wrong_settings_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRPC_PORT", "x")
    monkeypatch.setenv("SHUTDOWN_GRACE_S", "-1")
    with pytest.raises(WrongSettingError) as caught:
        load_settings(ServiceSettings)
    assert "GRPC_PORT: " in str(caught.value)
    assert "SHUTDOWN_GRACE_S: " in str(caught.value)


@pytest.fixture
def configured(capfd: pytest.CaptureFixture[str]) -> Any:
    """Configures logging, logs with a user's words in an exception, and gives what was written."""

    def log(**settings: Any) -> str:
        configure_logging(ServiceSettings(**settings))
        try:
            int("words of a user")
        except ValueError:
            structlog.get_logger("pellucid_runtime.t").error("broke", exc_info=True, count=3)
            logging.getLogger("library").exception("its own line")
        logging.getLogger("library").info("chatter")
        return capfd.readouterr().err

    return log


def test_json_lines_hold_type_and_place_of_an_exception_and_not_its_text(configured: Any) -> None:
    text = configured(log_format="json")
    ours, library = [json.loads(line) for line in text.splitlines()]
    assert (ours["event"], ours["count"], ours["level"]) == ("broke", 3, "error")
    assert ours["service"] == library["service"] == "service"
    assert ours["defect"] == library["defect"] == "ValueError"
    assert "test_small_parts.py" in ours["frames"][-1]
    assert library["event"] == "its own line"
    assert "words of a user" not in text


def test_console_lines_lead_with_the_service(configured: Any) -> None:
    text = configured(log_format="console")
    first = text.splitlines()[0]
    assert "service   broke" in first
    assert "count=3" in first
    assert "words of a user" not in text


def test_level_hides_what_is_below_it(configured: Any, capfd: pytest.CaptureFixture[str]) -> None:
    log = structlog.get_logger("pellucid_runtime.t")
    for level, seen in (("info", True), ("warning", False)):
        configured(log_format="json", log_level=level)
        log.info("note")
        assert ("note" in capfd.readouterr().err) is seen


@pytest.mark.parametrize("module", ["errors", "clock", "llm"])
def test_modules_for_domain_code_pull_in_no_framework(module: str) -> None:
    """Domain code may import these, so they must not drag grpc and the like along."""
    probe = f"import sys, pellucid_runtime.{module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"grpc", "google.protobuf", "pydantic", "openai", "redis", "prometheus_client"}
    assert not heavy & set(loaded)
