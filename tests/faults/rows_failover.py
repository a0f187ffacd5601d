"""Row G: the store fails over to its replica."""

import tempfile
import time
from pathlib import Path

from faults.rows_services import kill
from rig.fault_table import row
from rig.sentinel import open_group
from rig.trial import Trial

_FAILOVER = "tests/integration/test_failover.py"


@row(
    "G",
    "the primary of a Sentinel group is killed under load, and its replica takes over",
    "no turn fails; requests admitted before stay counted; the store is used again",
    tests=(
        f"{_FAILOVER}::test_after_a_fail_over_nothing_is_given_out_twice",
        f"{_FAILOVER}::test_while_nobody_has_taken_over_limits_hold_and_people_get_in",
    ),
)
async def redis_fails_over(trial: Trial) -> None:
    site = trial.site
    edges = [site.proxies["gateway-redis"], site.proxies["services-redis"]]
    with tempfile.TemporaryDirectory(prefix="sentinel-") as folder:
        async with open_group(Path(folder), site.port("redis"), edges) as group, trial.asking():
            await kill(trial, "redis")
            begun = time.monotonic()
            trial.load.phase = "fault"
            await group.taken_over()
            took_s = group.took_over_s - begun
            trial.occurred(f"the replica took over after {took_s:.1f} s", group.took_over_s)
            await trial.fault()
            trial.promise_no_failure()
            await trial.recover()
            await trial.promise_used_again("store")
    await site.start("redis")
