"""Rows beyond the forty: certificates replaced under load, connections that end all the time."""

from pathlib import Path

import trustme

from rig.fault_table import row, row_of_tests
from rig.history import Kind
from rig.site import SCORERS
from rig.trial import Trial


@row(
    "A",
    "certificates of all five replaced under load, first the authority, then the pairs",
    "no request fails; the old certificate is rejected everywhere afterwards",
    tests=("services/common/tests/test_tls.py",),
)
async def certificates_replaced(trial: Trial) -> None:
    site = trial.site
    names = ("decision", "search", "scorer0", "fetcher", "gateway")
    old, new = trustme.CA(), trustme.CA()
    files = _Files(site.folder)
    files.put(old, (old,))
    trial.restarted.update(names)
    scorer = f"127.0.0.1:{site.port('via-scorer0')}"
    await site.restart(*names, SCORER_TARGET=scorer, **files.variables)
    async with trial.asking():
        for signer, trusted in ((old, (old, new)), (new, (old, new)), (new, (new,))):
            files.put(signer, trusted)
            await trial.fault(trial.pace.fault_s / 2)
            for edge in ("decision", "search", "scorer0", "fetcher"):
                site.proxies[edge].reset_peers()
        shakes = sum(site.proxies[e].counters.connections for e in ("decision", "search"))
        trial.occurred(f"two authorities, {shakes} connections so far", shakes > 2)
        await trial.recover()
        trial.promise_no_failure()
        lost = [r for r in trial.of("after") if r.degraded & {"decision", "search", "scorer"}]
        trial.promise(f"{len(lost)} of {len(trial.of('after'))} flagged afterwards", not lost)
    await site.restart(*names)


class _Files:
    """Certificate, key and authority that all five share, as mounted."""

    def __init__(self, folder: Path) -> None:
        self._paths = {
            "CERT": folder / "tls.crt",
            "KEY": folder / "tls.key",
            "CA": folder / "ca.crt",
        }
        self.variables = {f"GRPC_TLS_{name}_FILE": str(path) for name, path in self._paths.items()}

    def put(self, signer: trustme.CA, trusted: tuple[trustme.CA, ...]) -> None:
        """Write a fresh pair, and whom to believe."""
        pair = signer.issue_cert("127.0.0.1")
        self._paths["CERT"].write_bytes(pair.cert_chain_pems[0].bytes())
        self._paths["KEY"].write_bytes(pair.private_key_pem.bytes())
        self._paths["CA"].write_bytes(b"".join(ca.cert_pem.bytes() for ca in trusted))


@row(
    "B",
    "connections end all the time (longest age 1 s)",
    "callers continue on other connections; no request fails",
)
async def connections_end(trial: Trial) -> None:
    names = ("decision", "search", *SCORERS, "fetcher")
    await trial.site.restart(*names, GRPC_MAX_CONNECTION_AGE_S="1")
    trial.restarted.update(names)
    async with trial.asking():
        edges = [trial.site.proxies[name] for name in names]
        for proxy in edges:
            proxy.count_anew()
        await trial.fault()
        fresh = sum(proxy.counters.connections for proxy in edges)
        trial.occurred(f"{fresh} new connections", fresh > len(names))
        trial.promise_no_failure()
        lost = [r for r in trial.of("fault", Kind.SEARCH) if r.degraded]
        parts = ", ".join(sorted({part for r in lost for part in r.degraded}))
        trial.promise(f"{len(lost)} flagged{f' ({parts})' if parts else ''}", not lost)
    await trial.site.restart(*names)


row_of_tests(
    "C",
    "a message is larger than a service takes",
    "a failed dependency for the caller, not an overload to retry after",
    tests=(
        "services/common/tests/test_channel.py::test_message_beyond_the_size_limit_is_refused",
        "services/common/tests/test_channel.py::test_answer_beyond_the_size_limit_is_no_overload",
    ),
)

row_of_tests(
    "D",
    "a setting has a wrong value",
    "the new process exits with one line that names it; running processes are unaffected",
    tests=(
        "services/common/tests/test_service.py::test_wrong_setting_stops_with_one_line_naming_it",
    ),
)

row_of_tests(
    "E",
    "a service's listener ends by itself",
    "the process reports it and shuts down gracefully, to be restarted",
    tests=("services/common/tests/test_lost_listener.py",),
)

row_of_tests(
    "F",
    "a page that the extractor does not survive or get done with",
    "only that page fails, the service and other pages do not",
    tests=("services/fetcher/tests/test_worker_pool.py",),
)
