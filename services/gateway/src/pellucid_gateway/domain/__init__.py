"""The words that all wings share: requests, findings, events, ports, notices."""
