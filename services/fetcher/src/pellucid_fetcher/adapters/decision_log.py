"""The log of what the egress gate decided.

A refusal is a line with its reason; with the trace id of the call, which every line of a call has,
it is found again. Names and addresses are in none of them: they may be what a person asked about.
"""

import structlog

from pellucid_fetcher.metrics import EGRESS

_log = structlog.get_logger("pellucid_fetcher")


def decided(*, allowed: bool, reason: str) -> None:
    """Count a decision of the gate, and write a refusal down."""
    EGRESS.labels("yes" if allowed else "no", reason).inc()
    if allowed:
        _log.debug("egress_allowed", reason=reason)
    else:
        _log.info("egress_refused", reason=reason)
