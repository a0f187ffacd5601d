"""Measures the answer without a language model: facts in other words, and what nothing answers.

    python eval/asked_eval.py

On the project's own pages and questions in seven languages: how often the sentence with the fact is
quoted, how often it is taken for an answer, and how often a question that the page only comes near
to is told so.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from rig.asked_pages import Quoted, asked, quoted, shares


def show(name: str, results: list[Quoted]) -> None:
    """Print one line."""
    found = shares(results)
    print(f"{name:<12}{len(results):>6}{found.quoted:>9.2f}{found.taken:>9.2f}{found.told:>9.2f}")


def main() -> int:
    """Measure by part of the set and by language."""
    results = [quoted(one) for one in asked()]
    print(f"{'':<12}{'asked':>6}{'quoted':>9}{'taken':>9}{'told':>9}")
    for part in ("one", "two", "three"):
        show(f"part {part}", [r for r in results if r.asked.part == part])
    for language in ("en", "de", "es", "fr", "ja", "ko", "zh"):
        show(language, [r for r in results if r.asked.language == language])
    show("all", results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
