"""Which of the models compares a question with passages: by their scripts and languages."""

from collections.abc import Collection, Sequence

from pellucid_language.detection import detect_language
from pellucid_language.scripts import EVERY_SCRIPT, is_read_by

_SAMPLE_CHARACTERS = 2_000
# In fewer the language of passages is a guess.
_LEAST_CHARACTERS = 80
_UNKNOWN = ""


def reader_of(scripts: Sequence[Collection[str]], question: str, others: Sequence[str]) -> int:
    """Return the place of the model that compares them; the first where none reads the question.

    A question in one language and passages in another are compared by a model that was trained on
    all scripts, and so on many languages: others only see that they differ.

    Args:
        scripts: What each model was trained on, in the order of preference.
        question: What the others are compared with.
        others: Passages.

    >>> page = ["The toll for cars on the bridge is 4.50 crowns, and lorries pay 9 crowns for it."]
    >>> reader_of([{"LATIN"}, {"all"}], "Wie hoch ist die Maut auf der Brücke?", page)
    1
    >>> reader_of([{"LATIN"}, {"all"}], "How high is the toll on the bridge?", page)
    0
    """
    everything = (i for i, known in enumerate(scripts) if EVERY_SCRIPT in known)
    able = (i for i, known in enumerate(scripts) if is_read_by(known, question))
    across = next(everything, None) if are_apart(question, others) else None
    return across if across is not None else next(able, 0)


def are_apart(question: str, others: Sequence[str]) -> bool:
    """Tell whether a question and passages are surely of different languages."""
    sample = " ".join(others)[:_SAMPLE_CHARACTERS]
    if len(sample) < _LEAST_CHARACTERS:
        return False
    told = {detect_language(text, _UNKNOWN) for text in (question, sample)}
    return len(told) > 1 and _UNKNOWN not in told
