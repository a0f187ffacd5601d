"""Settings of the scorer; each is an environment variable of the same name in upper case."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field, SecretStr

from pellucid_runtime.settings import ServiceSettings
from pellucid_scorer.models import ModelSource, Precision

AUTO = "auto"


class Device(StrEnum):
    """Where the model runs."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


class ScorerSettings(ServiceSettings):
    """All settings of the scorer."""

    grpc_port: int = Field(50053, ge=0, le=65535, description="gRPC port; 0 picks a free one.")
    metrics_port: int = Field(9103, ge=0, le=65535, description="Prometheus port; 0: a free one.")

    scorer_device: Device = Field(
        Device.AUTO,
        description="cpu, cuda (needs the gpu extra), or auto: cuda where torch finds a GPU.",
    )
    scorer_precision: Precision = Field(
        Precision.AUTO,
        description="fp32, bf16, int8 (calibrated models), or auto: depending on the processor.",
    )
    scorer_model: str = Field(
        AUTO,
        description=(
            "One or several names of models.yaml or SCORER_MODELS_FILE, by commas; the first also "
            "answers Embed. auto: all-MiniLM-L6-v2, and multilingual-e5-small where installed."
        ),
    )
    scorer_reranker: str = Field(
        "",
        description=(
            "Cross-encoder that orders the best 15 results again: a folder, or a repository on the "
            "hub (name@revision). Empty: none."
        ),
    )
    scorer_verifier: str = Field(
        "",
        description=(
            "Entailment or grounding model that judges claims against passages: as the reranker."
        ),
    )
    scorer_pairs_ms: int = Field(
        250,
        ge=1,
        le=60_000,
        description="Longest wait of a call for either; beyond it the call is answered without.",
    )
    scorer_embedding_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description=(
            "OpenAI-compatible embedding service that rates results beside the models; address up "
            "to and including the version. Unset: none."
        ),
    )
    scorer_embedding_model: str = Field("", description="Its model, as the service names it.")
    scorer_embedding_api_key: SecretStr | None = Field(
        None, description="Its key; may stay unset for services that need none."
    )
    scorer_embedding_internal: bool = Field(
        default=False,
        description="The service is internal: texts to it do not leave the installation.",
    )
    scorer_embedding_ms: int = Field(
        300,
        ge=1,
        le=60_000,
        description="Longest wait of a call for it; beyond it the models decide alone.",
    )
    scorer_embedding_batch: int = Field(
        32, ge=1, le=2_048, description="Most texts of one request to it."
    )
    scorer_embedding_dimensions: int = Field(
        0, ge=0, le=65_536, description="Length of the vectors asked for; 0: the model's own."
    )
    scorer_embedding_input_types: bool = Field(
        default=False, description="Requests say input_type query or document, as Voyage wants it."
    )
    scorer_embedding_query_prefix: str = Field(
        "", description="What its model wants before a question."
    )
    scorer_embedding_passage_prefix: str = Field(
        "", description="What its model wants before a passage."
    )
    scorer_model_source: ModelSource = Field(
        ModelSource.AUTO,
        description="package (installed files), hub (download once), or auto: package, else hub.",
    )
    scorer_model_dir: Path | None = Field(
        None,
        description="Folder that holds the first model's files already; overrides the source.",
    )
    scorer_models_file: Path | None = Field(None, description="YAML that adds models.")
    scorer_trust_file: Path | None = Field(None, description="YAML that adds trust entries.")
    scorer_profiles_file: Path | None = Field(None, description="YAML that adds profiles.")
    scorer_threads: int = Field(
        0, ge=0, le=1024, description="CPU threads of the model; 0: one per usable core."
    )
    scorer_queue_tokens: int = Field(
        0,
        ge=0,
        le=16_777_216,
        description=(
            "Tokens that may wait; beyond it calls are refused at once with OVERLOADED. "
            "0: 65536, or 16 of the device's largest batches."
        ),
    )
    scorer_cache_bytes: int = Field(
        33_554_432,
        ge=0,
        le=1 << 40,
        description="Bytes of the embedding cache; beyond it the least recently used are let go.",
    )

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names in ``scorer_model``, in order, each once, at least one."""
        names = (name.strip() for name in self.scorer_model.split(","))
        return tuple(dict.fromkeys(filter(None, names))) or (AUTO,)
