"""Registrable domains: what somebody owns, not what hosts it."""

import pytest

from pellucid_runtime.domains import HostParts, host_parts, is_address, registrable_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("news.bbc.co.uk", "bbc.co.uk"),
        ("News.BBC.co.uk.", "bbc.co.uk"),
        ("a.b.github.io", "b.github.io"),
        ("github.io", "github.io"),
        ("x.y.localhost", "y.localhost"),
        ("wiki.corp.internal", "corp.internal"),
        ("203.0.113.7", "203.0.113.7"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("", ""),
    ],
)
def test_registrable_domains(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


def test_registries_divide_a_host_without_the_suffixes_of_hosting() -> None:
    assert host_parts("someone.github.io") == HostParts("someone", "github", "io")
    assert host_parts("report.docx").suffix == ""


@pytest.mark.parametrize("host", ["example.com", "1.example", "", "v4.2"])
def test_a_name_is_no_address(host: str) -> None:
    assert not is_address(host)
