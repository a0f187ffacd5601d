"""Settings of the decision service."""

from datetime import UTC, date, datetime
from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from pellucid_decision.llm.query_writer import QueryWriting
from pellucid_runtime.llm.settings import LlmSettings


class DecisionSettings(LlmSettings):
    """Environment of the decision service; see the README for the table."""

    model_config = SettingsConfigDict(frozen=True)

    grpc_port: int = Field(50051, ge=0, le=65535, description="gRPC port; 0 picks a free one.")
    metrics_port: int = Field(9101, ge=0, le=65535, description="Prometheus port; 0 picks one.")
    llm_knowledge_cutoff: str = Field(
        default="2025-01",
        pattern=r"^\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?$",
        description="First month or day that the answer model knows nothing about.",
    )
    scorer_target: str = Field(
        default="127.0.0.1:50053",
        description="Scorer whose trained model understands messages; without it a language model or a few words decide.",  # noqa: E501 - one pattern or table row
    )
    decision_rules_dir: Path | None = Field(
        default=None, description="Folder of rules files; unset: those of the package."
    )
    decision_matrix_file: Path | None = Field(
        default=None,
        description="Additional categories of the keyword matrix.",
    )
    decision_understand_timeout_s: float = Field(
        default=0.2,
        gt=0,
        le=2,
        description="Longest wait for the trained model; then the next stage.",
    )
    decision_llm_timeout_s: float = Field(
        default=1.5,
        gt=0,
        le=10,
        description="Longest wait for a language model's decision; then best guess.",
    )
    decision_llm_lead_timeout_s: float = Field(
        default=0.9,
        gt=0,
        le=10,
        description="Longest wait for a language model's queries on a message that leans on its history; then the local ones.",  # noqa: E501 - one pattern or table row
    )
    decision_llm_queries: QueryWriting = Field(
        default=QueryWriting.ALWAYS,
        description="Searches for which a language model writes queries: never, follow_ups (those that lean on history) or always.",  # noqa: E501 - one pattern or table row
    )
    decision_llm_queries_timeout_s: float = Field(
        default=1.5,
        gt=0,
        le=10,
        description="Longest wait for a further query; the local ones are searched meanwhile.",
    )
    decision_reflect_timeout_s: float = Field(
        default=4.5,
        gt=0,
        le=30,
        description="Longest wait for a model's reflection; then coverage.",
    )

    @property
    def cutoff(self) -> datetime:
        """First instant that the answer model knows nothing of, UTC."""
        text = self.llm_knowledge_cutoff
        day = date.fromisoformat(text if text.count("-") > 1 else f"{text}-01")
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
