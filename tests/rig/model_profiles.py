"""What known model servers take, refuse and stream: one row each, enforced by `profile_server`.

Facts are from the servers' documentation and their users' reports; the words of refusals are theirs
in short. `ends` says what has to become of a turn: `whole`, `partial`, or the cause of its failure.
"""

from rig.profile_rules import (
    DONE,
    END,
    PLAIN,
    THOUGHT,
    WRITTEN,
    Profile,
    alternates,
    always,
    azure,
    chunk,
    efforts,
    forbidden,
    formats,
    last_role,
    listed,
    loading,
    no_system,
    openai_error,
    says_json,
    tagged,
    thoughts,
    vllm_room,
    without,
    words,
)

_NEW_LIMIT = openai_error(
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    "'max_completion_tokens' instead.",
    "unsupported_parameter",
    "max_tokens",
)
_TEMPERATURE = openai_error(
    "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) "
    "value is supported.",
    "unsupported_value",
    "temperature",
)
_NO_TEMPERATURE = openai_error(
    "Unsupported parameter: 'temperature' is not supported with this model.",
    "unsupported_parameter",
    "temperature",
)
_GPT_5 = (
    without("max_tokens", 400, _NEW_LIMIT),
    without("temperature", 400, _TEMPERATURE),
    efforts("minimal", "low", "medium", "high"),
)
_VALIDATION = {
    "error": {
        "message": "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': "
        "\"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}]",
        "type": "internal_server_error",
        "param": None,
        "code": None,
    }
}
_MISTRAL = (without("stream_options", 422, forbidden("stream_options")), last_role)
_GEMINI = [
    {
        "error": {
            "code": 400,
            "message": 'Invalid JSON payload received. Unknown name "stream_options": Cannot find '
            "field.",
            "status": "INVALID_ARGUMENT",
        }
    }
]
_LITELLM = openai_error(
    "litellm.UnsupportedParamsError: gpt-5 models don't support temperature=0.3. To drop these, "
    "set `litellm.drop_params=True`"
)
_GROQ = openai_error("This model does not support response format `json_schema`.")
_GROQ["error"]["param"] = "response_format"
_ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."
_AZURE_FIRST = chunk(choices=[], prompt_filter_results=[{"prompt_index": 0}])
_AZURE_OFFSETS = chunk(
    choices=[{"index": 0, "finish_reason": None, "content_filter_offsets": {"start_offset": 0}}]
)
_BUSY = {"message": "Provider returned error", "code": 502}

PROFILES = (
    Profile("openai-gpt-4.1", steps=PLAIN),
    Profile("openai-gpt-5", _GPT_5, PLAIN, counts=True),
    Profile(
        "openai-o3",
        (
            without("max_tokens", 400, _NEW_LIMIT),
            without("temperature", 400, _NO_TEMPERATURE),
            efforts("low", "medium", "high"),
        ),
        PLAIN,
        counts=True,
    ),
    Profile(
        "openai-o1-mini",
        (
            without("max_tokens", 400, _NEW_LIMIT),
            without("temperature", 400, _NO_TEMPERATURE),
            without("response_format", 400, openai_error("Unknown 'response_format'")),
            no_system(
                400,
                openai_error(
                    "Unsupported value: 'messages[0].role' does not support 'system' with this "
                    "model.",
                    "unsupported_value",
                    "messages[0].role",
                ),
            ),
        ),
        PLAIN,
        counts=True,
    ),
    Profile(
        "openai-responses-only",
        (
            always(
                404,
                openai_error(
                    "This model is only supported in v1/responses and not in v1/chat/completions."
                ),
            ),
        ),
        ends="responses_only",
    ),
    Profile(
        "azure-classic",
        (azure,),
        [_AZURE_FIRST, *words(*WRITTEN), _AZURE_OFFSETS, *END],
        path="/openai/deployments/house",
        query="?api-version=2024-10-21",
    ),
    Profile("azure-v1", steps=[_AZURE_FIRST, *PLAIN], path="/openai/v1"),
    Profile(
        "azure-filter",
        (always(400, openai_error("The response was filtered", "content_filter", "prompt")),),
        ends="content_filter",
    ),
    Profile(
        "azure-filter-midway",
        steps=[*words(*WRITTEN[:2]), chunk(finish="content_filter"), DONE],
        ends="partial",
    ),
    Profile(
        "anthropic-compatible",
        (without("temperature", 400, openai_error("`temperature` is deprecated for this model.")),),
        PLAIN,
        fences=True,
    ),
    Profile("gemini-compatible", (without("stream_options", 400, _GEMINI),), PLAIN),
    Profile("mistral", _MISTRAL, PLAIN),
    Profile(
        "magistral",
        _MISTRAL,
        [
            *listed(
                *(
                    {"type": "thinking", "thinking": [{"type": "text", "text": piece}]}
                    for piece in THOUGHT
                )
            ),
            *listed(*({"type": "text", "text": piece} for piece in WRITTEN)),
            *END,
        ],
        thinks=True,
    ),
    Profile(
        "deepseek-chat",
        (
            formats(
                "json_object",
                "text",
                body=openai_error("This response_format type is unavailable now"),
            ),
            says_json,
        ),
        [b": keep-alive\n\n", 0.1, b": keep-alive\n\n", *PLAIN],
    ),
    Profile(
        "deepseek-reasoner",
        steps=[*thoughts("reasoning_content"), *PLAIN],
        thinks=True,
        counts=True,
    ),
    Profile("groq", (formats("json_object", "text", body=_GROQ),), PLAIN),
    Profile(
        "groq-rate",
        (always(429, openai_error("Rate limit reached", "rate_limit_exceeded"), retry_after="30"),),
        ends="rate_limited",
    ),
    Profile("together-r1", steps=tagged("<think>\n", "\n</think>"), thinks=True),
    Profile(
        "openrouter",
        steps=[0.8, b": OPENROUTER PROCESSING\n\n", 0.8, *PLAIN],
    ),
    Profile("openrouter-reasoning", steps=[*thoughts("reasoning"), *PLAIN], thinks=True),
    Profile(
        "openrouter-midway",
        steps=[*words(*WRITTEN[:2]), chunk({"content": ""}, "error", error=_BUSY)],
        ends="partial",
    ),
    Profile("openrouter-before", steps=[chunk(None, "error", error=_BUSY)], ends="server_error"),
    Profile("ollama-cold", steps=[0.7, *PLAIN]),
    Profile("ollama-think", steps=tagged("<think>", "</think>"), thinks=True, counts=True),
    Profile("ollama-reasoning", steps=[*thoughts("reasoning"), *PLAIN], thinks=True),
    Profile(
        "ollama-unknown",
        (always(404, {"error": {"message": 'model "m" not found, try pulling it first'}}),),
        ends="unknown_model",
    ),
    Profile(
        "vllm-alternation",
        (alternates(400, {"object": "error", "message": _ALTERNATE, "code": 400}),),
        PLAIN,
    ),
    Profile(
        "vllm-gemma",
        (
            no_system(400, {"object": "error", "message": "System role not supported"}),
            alternates(400, {"object": "error", "message": _ALTERNATE}),
        ),
        PLAIN,
    ),
    Profile("vllm-room", (vllm_room,), PLAIN),
    Profile(
        "vllm-too-long",
        (
            always(
                400,
                openai_error(
                    "This model's maximum context length is 2048 tokens. However, you requested "
                    "9000 tokens in the messages. Please reduce the length of the messages."
                ),
            ),
        ),
        ends="context_too_long",
    ),
    Profile(
        "vllm-end-tag-alone",
        steps=[*words(*THOUGHT, "</think>", "\n\n", *WRITTEN), *END],
        thinks=True,
    ),
    Profile(
        "tgi",
        (
            alternates(
                422,
                {"error": f"Template error: {_ALTERNATE}", "error_type": "template_error"},
            ),
        ),
        PLAIN,
    ),
    Profile("llama.cpp-loading", (loading,), PLAIN),
    Profile(
        "llama-cpp-python",
        (formats("text", "json_object", status=500, body=_VALIDATION),),
        [*words(WRITTEN[0]), 0.3, *words(*WRITTEN[1:]), *END],
        one_at_a_time=True,
    ),
    Profile(
        "llama.cpp-gpt-oss",
        steps=tagged(
            "<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"
        ),
        thinks=True,
    ),
    Profile(
        "llama.cpp-too-long",
        (
            always(
                400,
                {
                    "error": {
                        "code": 400,
                        "message": "the request exceeds the available context size.",
                        "type": "exceed_context_size_error",
                        "n_prompt_tokens": 9000,
                        "n_ctx": 4096,
                    }
                },
            ),
        ),
        ends="context_too_long",
    ),
    Profile(
        "lm-studio",
        (
            formats(
                "json_schema",
                "text",
                body={"error": "'response_format.type' must be 'json_schema' or 'text'"},
            ),
        ),
        PLAIN,
    ),
    Profile("litellm", (without("temperature", 400, _LITELLM),), PLAIN),
    Profile(
        "litellm-unknown",
        (always(400, openai_error("/chat/completions: Invalid model name passed in model=m")),),
        ends="unknown_model",
    ),
    Profile("kimi-tags", steps=tagged("◁think▷", "◁/think▷"), thinks=True),
    Profile("reasoning-tags", steps=tagged("<reasoning>", "</reasoning>"), thinks=True),
    Profile("no-finish-reason", steps=[*words(*WRITTEN), DONE]),
    Profile("no-finish-no-done", steps=words(*WRITTEN)),
    Profile(
        "choices-null",
        steps=[*words(*WRITTEN), chunk(finish="stop"), chunk(choices=None, usage={}), DONE],
    ),
    Profile("not-streaming", whole=True),
    Profile(
        "wrong-key",
        (always(401, openai_error("Incorrect API key provided", "invalid_api_key")),),
        ends="wrong_key",
    ),
    Profile(
        "quota",
        (always(429, openai_error("You exceeded your current quota", "insufficient_quota")),),
        ends="quota_spent",
    ),
    Profile("drops", steps=[*words(*WRITTEN[:2]), 0.05, None], ends="partial"),
    Profile("falls-silent", steps=[*words(*WRITTEN[:2]), 9.0], ends="partial"),
    Profile("server-error", (always(500, {"error": "boom"}),), ends="server_error"),
    Profile("never-begins", steps=[9.0], ends="too_slow"),
)
