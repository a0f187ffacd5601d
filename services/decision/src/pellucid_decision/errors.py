"""Errors of the decision domain.

DecisionError
├── RulesError         a rules file is missing or breaks the schema
├── ModelReplyError    a language model's reply is not what was asked for
├── UnavailableError   a port did not answer in time
└── NoJudgementError   a model that reflects gave no judgement (`queries/reflection.py`)
"""


class DecisionError(Exception):
    """Base of all errors of this domain."""


class RulesError(DecisionError):
    """A rules file is missing or breaks the schema; the message names the entry."""


class ModelReplyError(DecisionError):
    """A language model's reply is not what was asked for."""


class UnavailableError(DecisionError):
    """A port did not answer in time; the cascade goes on without it."""
