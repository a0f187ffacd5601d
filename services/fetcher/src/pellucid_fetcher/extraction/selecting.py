"""Which blocks of a page are its main content."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid_fetcher.extraction.blocks import Block, PageBlocks
from pellucid_fetcher.extraction.content_model import ContentModel, best_choice, load_model
from pellucid_fetcher.extraction.features import Featurizer, load_surroundings
from pellucid_fetcher.extraction.metadata import Metadata


@dataclass(frozen=True, slots=True)
class Choice:
    """The main content.

    Attributes:
        blocks: In page order.
        confidence: Mean likelihood of the chosen words, 0 to 1.
    """

    blocks: Sequence[Block]
    confidence: float


@dataclass(frozen=True, slots=True)
class Selector:
    """Chooses with the trained model."""

    featurizer: Featurizer
    model: ContentModel

    def select(self, page: PageBlocks, metadata: Metadata, url: str) -> Choice:
        """Choose the main content of a page."""
        if not page.blocks:
            return Choice((), 0.0)
        chances = self.model.chances(self.featurizer.matrix(page, metadata, url))
        words = np.asarray([block.words for block in page.blocks], dtype=np.float64)
        if not _is_in_noscript(page):
            shown = np.asarray([not block.noscript for block in page.blocks])
            chances, words = chances * shown, words * shown
        kept = best_choice(chances, words)
        chosen = [block for block, keep in zip(page.blocks, kept, strict=True) if keep]
        total = max(1.0, float(words[kept].sum()))
        return Choice(chosen, float((chances * words)[kept].sum()) / total)


def open_selector() -> Selector:
    """Build a selector with the shipped tables and model."""
    return Selector(Featurizer(load_surroundings()), load_model())


def _is_in_noscript(page: PageBlocks) -> bool:
    """Tell whether the main text stands inside noscript, as on some forum engines."""
    inside = sum(block.words for block in page.blocks if block.noscript)
    return inside > sum(block.words for block in page.blocks if not block.noscript)
