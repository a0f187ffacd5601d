"""How much of a page is walked at most."""

from typing import Final

MAX_DEPTH: Final = 400
MAX_ELEMENTS: Final = 60_000
MAX_BLOCKS: Final = 10_000
MAX_BLOCK_CHARS: Final = 100_000
MAX_TOTAL_CHARS: Final = 2_000_000
