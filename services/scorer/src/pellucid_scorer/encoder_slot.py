"""The encoder in use, which may be exchanged for a faster one while calls go on."""

from pellucid_scorer.ports import Encoder


class EncoderSlot:
    """Holds the encoder that the next batch uses.

    Args:
        encoder: The first one.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def __call__(self) -> Encoder:
        """Return the encoder in use."""
        return self._encoder

    def exchange(self, encoder: Encoder) -> None:
        """Use another encoder of the same model from the next batch on."""
        self._encoder = encoder
