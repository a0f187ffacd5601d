"""The language model behind its port, by the runtime's client."""

from dataclasses import dataclass

from pellucid_decision.errors import UnavailableError
from pellucid_decision.ports import ModelAnswer, Prompt
from pellucid_runtime.errors import ServiceError
from pellucid_runtime.llm.model import ChatMessage, ChatRequest, LlmClient
from pellucid_runtime.rpc.deadline import deadline_scope


@dataclass(frozen=True, slots=True)
class ChatModel:
    """Asks an OpenAI-compatible endpoint.

    Attributes:
        client: The runtime's client.
        receiver: Host of the first endpoint, for the list of outbound texts.
        internal: The operator marked the endpoint as part of the installation.
        fast_model: Model for decisions.
        reasoning_model: Model for reflection.
    """

    client: LlmClient
    receiver: str
    internal: bool
    fast_model: str
    reasoning_model: str

    async def ask(self, prompt: Prompt) -> ModelAnswer:
        """Return the reply and the host that gave it.

        Raises:
            UnavailableError: No endpoint gave one.
        """
        request = ChatRequest(
            messages=(ChatMessage("system", prompt.system), ChatMessage("user", prompt.user)),
            model=self.reasoning_model if prompt.reasoning else self.fast_model,
            temperature=prompt.temperature,
            max_tokens=prompt.max_tokens,
            json_schema=prompt.json_schema,
            task="reflection" if prompt.reasoning else "decision",
        )
        try:
            with deadline_scope(prompt.timeout_s):
                completion = await self.client.complete(request)
        except ServiceError as error:
            raise UnavailableError(error.message) from error
        return ModelAnswer(completion.text, completion.host)
