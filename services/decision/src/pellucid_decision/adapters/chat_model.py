"""The language model behind its port, by the runtime's client."""

from pellucid_decision.errors import UnavailableError
from pellucid_decision.ports import ModelAnswer, Prompt
from pellucid_runtime.errors import ServiceError
from pellucid_runtime.llm.model import ChatMessage, ChatRequest, LlmClient
from pellucid_runtime.rpc.deadline import deadline_scope


class ChatModel:
    """Asks an OpenAI-compatible endpoint.

    Args:
        client: The runtime's client.
        host: Host of the first endpoint, for the list of outbound texts.
        internal: The operator marked the endpoint as part of the installation.
        fast_model: Model for decisions.
        reasoning_model: Model for reflection.
    """

    def __init__(
        self, client: LlmClient, *, host: str, internal: bool, fast_model: str, reasoning_model: str
    ) -> None:
        self._client = client
        self._fast_model = fast_model
        self._reasoning_model = reasoning_model
        self.receiver = host
        self.internal = internal

    async def ask(self, prompt: Prompt) -> ModelAnswer:
        """Return the reply and the host that gave it.

        Raises:
            UnavailableError: No endpoint gave one.
        """
        request = ChatRequest(
            messages=(ChatMessage("system", prompt.system), ChatMessage("user", prompt.user)),
            model=self._reasoning_model if prompt.reasoning else self._fast_model,
            temperature=prompt.temperature,
            max_tokens=prompt.max_tokens,
            json_schema=prompt.json_schema,
            task="reflection" if prompt.reasoning else "decision",
        )
        try:
            with deadline_scope(prompt.timeout_s):
                completion = await self._client.complete(request)
        except ServiceError as error:
            raise UnavailableError(error.message) from error
        return ModelAnswer(completion.text, completion.host)
