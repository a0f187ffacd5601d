"""The corpus's trust table names sites that exist, in the shape that the scorer reads."""

from pathlib import Path

import yaml

from pellucid_scorer.ranking.trust import TrustTable

CORPUS = Path(__file__).resolve().parents[2] / "corpus"


def test_every_listed_site_exists_and_is_rated_as_listed() -> None:
    text = (CORPUS / "trust.yaml").read_text()
    table = TrustTable.from_yaml("unknown: 0.5\nown_site: 0.8\n", text)

    for score, hosts in yaml.safe_load(text)["scores"].items():
        for host in hosts:
            assert (CORPUS / host).is_dir(), host
            assert table.rate(host).score == score
