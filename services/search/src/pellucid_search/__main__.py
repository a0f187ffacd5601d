"""Entry point: `python -m pellucid_search`."""

from pellucid_runtime.loading import loading

with loading():
    from pellucid_runtime.service import run
    from pellucid_search.app import build, tried_providers
    from pellucid_search.settings import SearchSettings


def main() -> None:
    """Run the search service."""
    run(build, SearchSettings, check=tried_providers)


if __name__ == "__main__":
    main()
