"""The sites that are known, by their names."""

from collections.abc import Mapping
from typing import Final

from pellucid_fetcher.sites import (
    arxiv,
    github,
    hackernews,
    reddit,
    stackexchange,
    wikipedia,
    youtube,
)
from pellucid_fetcher.sites.port import SiteReader

# Those that ask hosts of the site's own company only.
USUAL: Final = "arxiv,github,reddit,stackexchange,wikipedia,youtube"
REGISTRY: Final[Mapping[str, SiteReader]] = {
    reader.NAME: reader
    for reader in (arxiv, github, hackernews, reddit, stackexchange, wikipedia, youtube)
}
