"""The ten things that hold in every fault, checked over the whole history of a trial."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx

from pellucid_runtime.redis_client import IDLE_S
from rig.history import Kind, Outcome, Record
from rig.invented_web import company_in
from rig.site import SECRETS, Site
from rig.trial import RECOVERS_WITHIN_S, Trial, Verdict, was_shed

DEADLINE_S = 15.0
_OVER_S = 0.25
# Extra attempts: a share of the first ones, and so many a second whatever the load.
_RETRY_SHARE = 0.1
_RETRY_FLOOR_PER_S = 3.0
# Every pool closes what it did not need at two looks in a row; a busy machine is a little later.
_GIVES_BACK_WITHIN_S = 2 * IDLE_S + 5.0
# One connection of each pool and to each replica is kept, and not all are there before a fault.
_DESCRIPTORS_SLACK = 10
_RESIDENT_SLACK = 150 * 1024 * 1024


async def check_all(trial: Trial, log_marks: dict[str, int]) -> list[Verdict]:
    """All ten; I6 is left out where a row measures its recovery itself.

    Args:
        trial: Ended, with everything running again.
        log_marks: Characters that each log had before the trial.
    """
    return [
        _i1_in_time(trial),
        _i2_one_end(trial),
        _i3_nothing_broken(trial),
        _i4_losses_told(trial),
        _i5_few_retries(trial),
        _i6_recovers(trial),
        await _i7_no_leak(trial),
        _i8_logs_say_nothing(trial, log_marks),
        await _i9_own_data_only(trial),
        _i10_chat_unharmed(trial),
    ]


def _i1_in_time(trial: Trial) -> Verdict:
    """While what was killed starts again, processor time is scarce, so that phase is left out."""
    late_s = max(trial.load.lateness_s, default=0.0)
    judged = (r for r in trial.records if r.phase != "mending")
    longest = max((r.ended_s - r.sent_s for r in judged), default=0.0)
    kept = longest <= DEADLINE_S + _OVER_S + late_s
    return Verdict(
        f"I1 longest request {longest:.1f} s of {DEADLINE_S:.0f} s", kept, is_timing=True
    )


def _i2_one_end(trial: Trial) -> Verdict:
    silent = [r for r in trial.records if r.status == 200 and r.terminals != 1]
    return Verdict(f"I2 {len(silent)} streams without exactly one end", not silent)


def _i3_nothing_broken(trial: Trial) -> Verdict:
    broken = [r for r in trial.records if r.outcome is Outcome.BROKEN]
    reasons = Counter(r.why for r in broken).most_common(2)
    said = "; ".join(f"{count} x {why}" for why, count in reasons)
    return Verdict(f"I3 {len(broken)} broken{f' ({said})' if said else ''}", not broken)


def _i4_losses_told(trial: Trial) -> Verdict:
    silent = [r for r in trial.records if "no word about it" in r.why]
    return Verdict(f"I4 {len(silent)} losses untold", not silent)


def _i5_few_retries(trial: Trial) -> Verdict:
    """Retries as the providers and the model see them: one company asked about in the same words.

    Small talk is always the same, so it says nothing.
    """
    site = trial.site
    seconds = max((r.ended_s for r in trial.records), default=trial.begun_s) - trial.begun_s
    worst = 0.0
    for asked in (site.brave.asked, site.tavily.asked, site.model.asked):
        mine = [text for at, text in asked if at >= trial.begun_s and company_in(text)]
        first = len(set(mine))
        allowed = _RETRY_SHARE * first + _RETRY_FLOOR_PER_S * seconds
        worst = max(worst, len(mine) - first - allowed)
    return Verdict(f"I5 retries {'above' if worst > 0 else 'within'} the allowance", worst <= 0)


def _i6_recovers(trial: Trial) -> Verdict:
    if not trial.of("after"):
        return Verdict("I6 not about this fault", kept=True)
    if trial.recovery_s is None:
        said = f"I6 not as before within {RECOVERS_WITHIN_S:.0f} s"
        return Verdict(said, kept=False, is_timing=True)
    return Verdict(f"I6 as before after {trial.recovery_s:.1f} s", kept=True)


async def _i7_no_leak(trial: Trial) -> Verdict:
    """Descriptors and memory of processes that lived through the trial; turns all ended.

    A crowd's connections may stay until they have been idle for a while, and no longer.
    """
    said = await _held_too_much(trial)
    for _ in range(round(_GIVES_BACK_WITHIN_S)):
        if not said:
            break
        await asyncio.sleep(1)
        said = await _held_too_much(trial)
    return Verdict(f"I7 {'; '.join(said) or 'no leak'}", not said)


async def _held_too_much(trial: Trial) -> list[str]:
    said = []
    for name, before in trial.before.items():
        one = trial.site.processes[name]
        if name in trial.restarted or name == "redis" or not one.is_alive:
            continue
        now = one.usage()
        if now.descriptors > before.descriptors + _DESCRIPTORS_SLACK:
            said.append(f"{name} {before.descriptors} -> {now.descriptors} descriptors")
        if now.resident > before.resident + _RESIDENT_SLACK:
            said.append(f"{name} +{(now.resident - before.resident) // 2**20} MiB")
    running = await trial.site.total("gateway", "pellucid_gateway_turns_in_flight")
    if running:
        said.append(f"{running:.0f} turns still run")
    return said


def _i8_logs_say_nothing(trial: Trial, log_marks: dict[str, int]) -> Verdict:
    """Neither a key nor anything that a person wrote or was told."""
    forbidden = (*SECRETS, "Halvorsen", " Cells", "very helpful", "person-a", "person-b")
    found = [
        f"{text!r} by {name}"
        for name, log in trial.site.logs().items()
        for text in forbidden
        if text in log[log_marks.get(name, 0) :]
    ]
    return Verdict(f"I8 {'; '.join(found) or 'logs say nothing of people'}", not found)


async def _i9_own_data_only(trial: Trial) -> Verdict:
    """What stands behind one person's answer is not there for the other."""
    foreign = [r for r in trial.records if _tells_of_another(r)]
    answered = [r for r in trial.records if r.turn_id and r.kind is Kind.SEARCH]
    statuses = [await _seen_by_the_other(trial, r) for r in answered[-1:]]
    kept = not foreign and all(status in {404, 503} for status in statuses)
    return Verdict(f"I9 {'own data only' if kept else 'FOREIGN DATA SEEN'}", kept)


def _tells_of_another(record: Record) -> bool:
    return f"person-{'b' if record.user == 'person-a' else 'a'}".encode() in record.body


async def _seen_by_the_other(trial: Trial, record: Record) -> int:
    other = "person-b" if record.user == "person-a" else "person-a"
    url = f"{trial.site.gateway_url}/v1/evidence/{record.turn_id}"
    try:
        response: Any = await trial.client.get(url, headers={"X-Person": other})
    except httpx.TransportError:
        return 503
    return int(response.status_code)


def _i10_chat_unharmed(trial: Trial) -> Verdict:
    chats = trial.of("fault", Kind.CHAT)
    if not trial.spares_chat or not chats:
        return Verdict("I10 not about this fault", kept=True)
    now_s, bound_s = trial.median_s("fault", Kind.CHAT), trial.bound_s(Kind.CHAT)
    said = f"I10 small talk {now_s * 1000:.0f} ms, at most {bound_s * 1000:.0f} ms"
    lost = [r for r in chats if r.outcome in {Outcome.ERROR, Outcome.BROKEN}]
    in_time = now_s <= bound_s
    return Verdict(said, not lost and in_time, is_timing=all(map(was_shed, lost)))


def log_marks(site: Site) -> dict[str, int]:
    """How much each process has printed so far."""
    return {name: len(log) for name, log in site.logs().items()}


def failed(verdicts: list[Verdict]) -> Iterator[Verdict]:
    """Those that did not hold."""
    return (verdict for verdict in verdicts if not verdict.kept)
