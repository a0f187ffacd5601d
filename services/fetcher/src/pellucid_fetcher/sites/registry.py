"""The sites that are known, by their names."""

from collections.abc import Mapping
from typing import Final

from pellucid_fetcher.sites import github, hackernews, reddit, stackexchange
from pellucid_fetcher.sites.port import SiteReader

# Those that ask hosts of the site's own company only.
USUAL: Final = "github,reddit,stackexchange"
REGISTRY: Final[Mapping[str, SiteReader]] = {
    reader.NAME: reader for reader in (github, hackernews, reddit, stackexchange)
}
