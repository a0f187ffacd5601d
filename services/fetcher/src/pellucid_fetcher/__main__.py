"""Entry point of the fetcher process."""

from pellucid_runtime.loading import loading

with loading():
    from pellucid_fetcher.app import build
    from pellucid_fetcher.settings import FetcherSettings
    from pellucid_runtime.service import run


def main() -> None:
    """Run the fetcher until it is told to stop."""
    run(build, FetcherSettings)


if __name__ == "__main__":
    main()
