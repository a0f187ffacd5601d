"""What of a message nobody else is to read: personal data, and the names of somebody's family."""

import re

from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_language.redaction.gate import GATE

# Stands where a value was; no text has it.
_CUT = "\0"
# An aside that says what the value is: "(customer no 1234 567)", ", dni 12345678Z,".
_LABELLED = re.compile(rf"[,;(]\s*(?:[^\W\d_]+[.:]?\s){{0,3}}{_CUT}\s*(?:\)|(?=[,;.]|\Z))")


def without_private(text: str, rules: LanguageRules) -> str:
    """Return a text without personal data, and without the relatives that it names.

    >>> from pellucid_decision.adapters.rules_folder import RulesFolder
    >>> without_private("my son Ned Example needs a visa", RulesFolder().book.of("en")).strip()
    'needs a visa'
    """
    for value in GATE.private([text]):
        text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", _CUT, text)
    redacted = GATE.redact(_LABELLED.sub(" ", text).replace(_CUT, " ")).text
    relative = rules.phrase("relative")
    return relative.sub(" ", redacted) if relative else redacted
