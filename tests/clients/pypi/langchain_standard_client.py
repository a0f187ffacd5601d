"""LangChain's own standard tests of chat models, on chat completions and on Responses."""

import os
import sys
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests

_MODEL = {"api_key": "any", "model": "m", "max_retries": 0}


class TestChat(ChatModelIntegrationTests):
    """Chat completions."""

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ChatOpenAI

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {**_MODEL, "base_url": f"{sys.argv[1]}/v1", "stream_usage": True}


class TestResponses(TestChat):
    """Responses."""

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {**super().chat_model_params, "use_responses_api": True}


class Printer:
    """Prints one line for each test that was run."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not report.skipped:
            print(f"{'holds' if report.passed else 'fails'}: {report.nodeid.partition('::')[2]}")
            if report.failed:
                print(report.longreprtext)


if __name__ == "__main__":
    # Without the project's own settings, which make errors of warnings.
    settings = ("asyncio_mode=auto", "asyncio_default_test_loop_scope=session")
    plain = ["-c", os.devnull, "--noconftest", "-p", "no:terminal", "-p", "no:cacheprovider"]
    asked = [*plain, *(part for each in settings for part in ("-o", each)), __file__]
    pytest.main([*asked, *sys.argv[2:]], plugins=[Printer()])
