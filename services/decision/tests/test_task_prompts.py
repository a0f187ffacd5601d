"""Prompts that frontends send for themselves: titles, tags, follow-ups, queries, completions, JSON.

The wordings are our own, in the shape that each frontend uses.
"""

from collections.abc import Callable

import pytest

from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.text.conversation import Ask, Role, Turn, WebMode

CHATS = [
    "USER: what is the latest news about Mars?\nASSISTANT: A rover found clay.",
    "USER: weather in Oslo today\nASSISTANT: Snow, minus 3.",
    "USER: who is the CEO of Nvidia now?\nASSISTANT: Jensen Huang.",
    "USER: \uc624\ub298 \uc8fc\uac00 \uc54c\ub824\uc918\nASSISTANT: \uc0c1\uc2b9\ud588\uc2b5\ub2c8\ub2e4.",  # noqa: E501 - one pattern or table row
    "USER: price of bitcoin right now\nASSISTANT: About 90,000 dollars.",
]
TEMPLATES = {
    "openwebui_title": '### Task:\nGive this chat a short title with an emoji.\n### Output:\nJSON format: {{"title": "..."}}\n<chat_history>\n{chat}\n</chat_history>',  # noqa: E501 - one pattern or table row
    "openwebui_tags": '### Task:\nName up to three broad tags for the chat.\n### Output:\nJSON format: {{"tags": ["..."]}}\n<chat_history>\n{chat}\n</chat_history>',  # noqa: E501 - one pattern or table row
    "openwebui_followups": '### Task:\nOffer questions that the person may ask next.\n### Output:\nJSON format: {{"follow_ups": ["..."]}}\n<chat_history>{chat}</chat_history>',  # noqa: E501 - one pattern or table row
    "openwebui_queries": '### Task:\nJudge whether search queries would help and write them.\nReturn: {{"queries": ["..."]}}\n<chat_history>\n{chat}\n</chat_history>',  # noqa: E501 - one pattern or table row
    "openwebui_autocomplete": "### Task:\nYou are an autocompletion system. Go on with the text.\n<type>Search Query</type>\n<text>{chat}</text>",  # noqa: E501 - one pattern or table row
    "openwebui_emoji": "### Task: Pick one emoji for this message.\n{chat}",
    "librechat_title": "Write a title of at most five words for this conversation. Do not answer it.\n\nConversation:\n{chat}",  # noqa: E501 - one pattern or table row
    "lobechat_title": "Summarize the conversation into a title of ten words without punctuation:\n{chat}",  # noqa: E501 - one pattern or table row
    "lobechat_rewrite": "Rewrite the follow-up as a standalone search query. Return only the query.\n{chat}",  # noqa: E501 - one pattern or table row
    "anythingllm_title": "Create a name for this chat thread.\n{chat}",
    "chatbox_title": "Name this conversation based on the chat below, 10 words or fewer.\n{chat}",
    "sillytavern_summary": "[Pause the roleplay. Summarize the conversation so far.]\n{chat}",
    "perplexica_rephrase": "Rephrase the follow up question given the conversation, so that it stands alone.\nConversation:\n{chat}",  # noqa: E501 - one pattern or table row
    "json_extract": "Extract entities from the chat. Respond only with JSON.\n{chat}",
}
FIXTURES = [(name, text.format(chat=chat)) for name, text in TEMPLATES.items() for chat in CHATS]


@pytest.mark.parametrize(("name", "prompt"), FIXTURES)
async def test_task_prompts_never_search(
    cascade: Cascade, asking: Callable[..., Ask], name: str, prompt: str
) -> None:
    assert len(FIXTURES) >= 60
    decision = await cascade.decide(asking(prompt))
    assert not decision.needs_search, name


async def test_mode_on_searches_even_then(cascade: Cascade, asking: Callable[..., Ask]) -> None:
    decision = await cascade.decide(asking(FIXTURES[0][1], web_mode=WebMode.ON))
    assert decision.needs_search


async def test_a_tools_result_is_not_a_question(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    history = (Turn(Role.USER, "latest news about Mars"), Turn(Role.TOOL, "[results]"))
    decision = await cascade.decide(asking("latest news about Mars", history=history))
    assert not decision.needs_search
    assert decision.verdict.reason_code == "tool_result"
