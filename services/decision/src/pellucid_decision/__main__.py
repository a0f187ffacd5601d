"""Starts the service: `python -m pellucid_decision`, `--check` validates the settings only."""

from pellucid_runtime.loading import loading

with loading():
    from pellucid_decision.app import build
    from pellucid_decision.settings import DecisionSettings
    from pellucid_runtime.service import run


def main() -> None:
    """Run until a signal."""
    run(build, DecisionSettings)


if __name__ == "__main__":
    main()
