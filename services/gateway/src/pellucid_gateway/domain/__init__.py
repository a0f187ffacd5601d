"""The types that all packages share: requests, findings, events, ports, notices."""
