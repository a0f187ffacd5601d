"""Settings of services that keep away from known malicious places."""

from pydantic import Field

from pellucid_runtime.settings import ServiceSettings


class MaliciousSettings(ServiceSettings):
    """Which lists are read, and how often."""

    malicious_lists: str = Field(
        "",
        description="Comma list of files or http(s) addresses with malicious hosts or addresses: "
        "hosts files, lists of names or addresses, URLhaus; empty: none.",
    )
    malicious_refresh_s: float = Field(
        3600.0, ge=300, le=604_800, description="Seconds after which these lists are read again."
    )

    @property
    def listed_malicious(self) -> tuple[str, ...]:
        """The lists one by one."""
        return tuple(filter(None, (part.strip() for part in self.malicious_lists.split(","))))
