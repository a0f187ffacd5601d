"""Errors of the scorer.

    ValueError
    └── TableError            a data file breaks its rules; stops the start
    RuntimeError
    └── ModelError            the model cannot be used; stops the start
        ├── ModelMissingError     its files were not found
        └── ChecksumError         its files are not the expected ones

Errors that callers see (overload, unknown profile, bad weights) are those of `pellucid_runtime`.
"""


class TableError(ValueError):
    """A table (trust, quality, profiles, models) breaks its documented rules."""


class ModelError(RuntimeError):
    """The model cannot be used."""


class ModelMissingError(ModelError):
    """The model's files were not found where the settings point."""


class ChecksumError(ModelError):
    """A model file is not the expected one and must not be loaded."""

    def __init__(self, *, file: str, expected: str, actual: str) -> None:
        super().__init__(f"{file} has sha256 {actual}, expected {expected}")
        self.file = file
