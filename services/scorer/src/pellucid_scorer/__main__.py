"""Starts the scorer: ``python -m pellucid_scorer [--check]``."""

from pellucid_runtime.loading import loading

with loading():
    from pellucid_runtime.service import run
    from pellucid_scorer.app import build
    from pellucid_scorer.settings import ScorerSettings


def main() -> None:
    """Run until a signal."""
    run(build, ScorerSettings)


if __name__ == "__main__":
    main()
