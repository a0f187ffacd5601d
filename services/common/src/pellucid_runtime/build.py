"""Which release of a service runs."""

from importlib.metadata import PackageNotFoundError, version


def version_of(service_name: str) -> str:
    """Version of the service's distribution; "unknown" when it is not installed as one."""
    try:
        return version(f"pellucid-{service_name}")
    except PackageNotFoundError:
        return "unknown"
