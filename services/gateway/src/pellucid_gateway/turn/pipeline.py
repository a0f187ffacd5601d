"""One turn from message to result: understand, search, rank, read, answer and verify, record.

`OneTurn.run` is the whole turn; its steps follow in the order in which they run. A part that is
unavailable becomes data of the result. The engine limits the time of the whole turn.
"""

from collections.abc import Mapping
from dataclasses import replace

from pellucid_gateway.answering.excerpts import ExcerptAnswerer
from pellucid_gateway.answering.failures import cause_of
from pellucid_gateway.answering.model_answer import ModelAnswerer
from pellucid_gateway.answering.named_room import named_room
from pellucid_gateway.answering.page_model import PageModel
from pellucid_gateway.answering.waiting import send_notices, told_when_slow
from pellucid_gateway.domain.answer import Answer
from pellucid_gateway.domain.answer_model import AnswerModel
from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.events import (
    AnswerKind,
    Decided,
    Done,
    ResultsReady,
    Send,
    SourcesReady,
    TurnResult,
)
from pellucid_gateway.domain.findings import PageContent, Source
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.retrieval import sources as sourcing
from pellucid_gateway.retrieval.choosing import UNREAD_NAMED_TOKENS, PassageChooser, Wanted
from pellucid_gateway.retrieval.labels import labelled
from pellucid_gateway.retrieval.reading import PageReader
from pellucid_gateway.retrieval.search_plan import DEFAULT_RESULTS, QueryToWrite, plan_search
from pellucid_gateway.retrieval.search_rounds import Gatherer
from pellucid_gateway.turn.answer_setting import setting_of
from pellucid_gateway.turn.deciding import decide_with_writer
from pellucid_gateway.turn.dependencies import Dependencies
from pellucid_gateway.turn.disagreements import disagreements
from pellucid_gateway.turn.follow_ups import reused_sources
from pellucid_gateway.turn.named_pages import pages_to_read, take_page
from pellucid_gateway.turn.notifications import notify_decision, notify_failure, notify_gaps
from pellucid_gateway.turn.offers import Offer
from pellucid_gateway.turn.page_follow_ups import with_named_page
from pellucid_gateway.turn.result import Findings, build_result, evidence_of, with_ledger
from pellucid_gateway.turn.speculation import Speculation
from pellucid_gateway.turn.turn_log import (
    daily_pseudonym,
    log_decision,
    log_model_failure,
    log_turn,
)
from pellucid_gateway.turn.without_model import searched_instead
from pellucid_gateway.turn_context.budgets import TurnBudget, limited
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.turn_context.plans import plan_for
from pellucid_gateway.verification.model_judge import ModelOpinion
from pellucid_runtime.errors import ServiceError


class OneTurn:
    """Runs one turn.

    Args:
        request: The message, with its history and options.
        dependencies: Services, model, store, clock.
        budget: The turn's time.
        send: Takes every event but the last.
    """

    def __init__(
        self, request: TurnRequest, *, dependencies: Dependencies, budget: TurnBudget, send: Send
    ) -> None:
        self._request = request
        self._dependencies = dependencies = dependencies.for_turn(request)
        self._services = services = dependencies.services
        self._clock = dependencies.clock
        self._budget = budget
        self._send = send
        self._ledger = TurnLedger(dependencies.clock, wording_for(request.language))
        self._plan = plan_for(request, dependencies.plans)
        self._context = context = dependencies.context(budget, self._ledger, send)
        self._model = dependencies.model_for(request)
        self._reader = PageReader(
            services.fetcher, context=context, attachments=request.attachments
        )
        self._gatherer = Gatherer(
            services, reader=self._reader, standings=dependencies.standings, context=context
        )
        self._speculation = Speculation(request, search=services.search, context=context)
        self._id = dependencies.new_id()
        self._user = daily_pseudonym(request.caller, dependencies.clock.now())
        self._read_before: Mapping[str, PageContent] = {}
        self._walled: tuple[str, ...] = ()
        self._to_write: QueryToWrite | None = None

    async def run(self) -> Done:
        """Run the turn.

        Raises:
            ServiceError: Not even a partial answer is possible.
        """
        self._speculation.begin()
        try:
            decision = await self._understand()
            found = Findings(sources=reused_sources(self._request, decision, self._clock.now()))
            if found.sources:
                self._ledger.notify("earlier_sources")
            else:
                await self._find(decision, found)
            if self._is_results_only(decision):
                answer = await self._show_results(decision, found)
            else:
                await self._show_sources(decision, found)
                answer = await self._answer(decision, found)
            return await self._record(decision, found, answer)
        finally:
            await self._speculation.drop()

    # Understand: decide what to search or fetch; the message may be about a page named before.

    async def _understand(self) -> Decision:
        if self._request.recall is not None:
            self._request = replace(self._request, memories=await self._request.recall())
        followed = await with_named_page(
            self._request,
            await self._decide(self._request),
            self._reader,
            self._ledger,
            decide=self._decide,
            offer=Offer(
                decide=self._decide,
                evidence=self._dependencies.evidence,
                scorer=self._services.scorer,
            ),
        )
        decision = followed.decision
        self._read_before, self._walled = followed.pages, followed.walled
        if self._model is None:
            decision = await searched_instead(
                self._request, decision, clock=self._clock, decide=self._decide
            )
        self._ledger.wording = wording_for(self._request.language or decision.language)
        log_decision(decision, ms=self._ledger.timings_ms.get("decision", 0), user=self._user)
        await self._send(Decided(decision))
        notify_decision(decision, self._request, self._ledger)
        return decision

    async def _decide(self, request: TurnRequest) -> Decision:
        decision, self._to_write = await decide_with_writer(
            request, self._dependencies, self._budget, self._ledger
        )
        return decision

    def _searches(self, decision: Decision) -> bool:
        forced_chat = self._request.force_search and decision.topicless
        wanted = decision.needs_search and bool(decision.queries)
        return wanted and not self._request.quota_spent and not forced_chat

    def _is_results_only(self, decision: Decision) -> bool:
        return self._request.force_search and self._searches(decision)

    # Search, rank and read.

    async def _find(self, decision: Decision, found: Findings) -> None:
        await self._take_quota(decision)
        async with told_when_slow(self._context):
            await self._read_named_pages(decision, found)
            await self._search(decision, found)
            if not self._is_results_only(decision):
                await self._context.rounds.turn()
                await self._rank(decision, found)
        if self._searches(decision):
            notify_gaps(
                self._ledger,
                is_lost=found.gathered.search_lost or found.web_lost,
                has_results=bool(found.gathered.included),
                has_subject=self._request.subject is not None,
                cutoff=self._dependencies.cutoff_month,
            )

    async def _take_quota(self, decision: Decision) -> None:
        """Count a searching turn against the person's quota; without quota it does not search."""
        if not self._searches(decision):
            return
        state = await self._dependencies.quota.take(self._request.caller)
        if not state.allowed:
            self._request = replace(self._request, quota_spent=True)
            self._ledger.notify("rate_limited")

    async def _read_named_pages(self, decision: Decision, found: Findings) -> None:
        urls = pages_to_read(decision, self._request)
        if not urls:
            return
        pages = self._read_before or await self._reader.read_named(
            urls, no_external=self._request.no_external
        )
        for url in urls:
            await self._send(take_page(url, pages.get(url), found, self._request, self._ledger))

    async def _search(self, decision: Decision, found: Findings) -> None:
        """Search in rounds; each rates the results and reads the best of them."""
        searches = self._searches(decision)
        begun = await self._speculation.settle(decision, searches=searches)
        if not searches:
            return
        search_plan = plan_search(
            self._request,
            decision,
            self._plan,
            max_results=max(DEFAULT_RESULTS, self._plan.sources),
            reads_pages=not self._request.force_search,
        )
        found.gathered = await self._gatherer.gather(
            replace(search_plan, begun=begun, to_write=self._to_write, walled=self._walled)
        )
        found.web_lost = self._ledger.web_lost

    async def _rank(self, decision: Decision, found: Findings) -> None:
        """Number the sources, each with the passages that the model is shown."""
        gathered, model = found.gathered, self._dependencies.model
        wanted = Wanted(
            decision.standalone_question, self._request.message, tuple(gathered.refined)
        )
        chooser = PassageChooser(self._services.scorer, context=self._context)
        room = UNREAD_NAMED_TOKENS
        if model:
            room = named_room(self._request, self._plan, model.window_tokens)
        named = await chooser.of_named(found.user_pages, wanted, most_tokens=room)
        own = sourcing.from_user_pages(found.user_pages, passages=named)
        passages = await chooser.of_hits(
            gathered.included,
            gathered.pages,
            wanted,
            self._plan,
            are_quoted=self._model is None,
        )
        hits = sourcing.from_hits(
            gathered.included,
            gathered.pages,
            passages=passages,
            most=self._plan.sources,
            first_n=len(own) + 1,
        )
        found.sources = (*own, *hits)

    # Answer and verify: citations are checked as the text streams.

    async def _show_results(self, decision: Decision, found: Findings) -> Answer:
        """Answer a forced search by its results alone."""
        results = sourcing.as_results(found.gathered.included, found.gathered.pages)
        found.sources = labelled(results, self._ledger.wording, self._clock.now())
        await self._send(ResultsReady(decision.queries[0].text, found.sources))
        found.sources = await self._with_summaries(found.sources)
        return Answer(text="", kind=AnswerKind.RESULTS)

    async def _with_summaries(self, results: tuple[Source, ...]) -> tuple[Source, ...]:
        """Results with a Korean summary of each foreign one, for an answer in Korean."""
        if self._model is None or self._ledger.wording.language != "ko":
            return results
        said = await self._page_model(self._model).korean_summaries(results)
        return tuple(replace(result, summary=said.get(result.n, "")) for result in results)

    async def _show_sources(self, decision: Decision, found: Findings) -> None:
        """Send the sources of the answer, and find where they disagree."""
        found.sources = labelled(found.sources, self._ledger.wording, self._clock.now())
        if found.sources:
            await self._send(SourcesReady(found.sources))
        await self._context.rounds.turn()
        question = decision.standalone_question
        found.conflicts = await disagreements(found.sources, question, self._opinion, self._context)

    async def _answer(self, decision: Decision, found: Findings) -> Answer:
        if self._model is not self._dependencies.model:
            self._ledger.notify("model_external")
        elif self._model is None and not found.sources and not decision.is_small_talk:
            self._ledger.notify("no_model")
        if self._budget.stage_s(1.0) <= 0:
            self._ledger.lose("deadline", "search and reading used up their share of the time")
            self._ledger.notify("taking_long")
        await send_notices(self._ledger, self._send)
        setting = setting_of(
            self._request,
            decision,
            found,
            self._ledger,
            dependencies=self._dependencies,
            searched=self._searches(decision),
        )
        scorer, begun_s = self._services.scorer, self._budget.elapsed_s()
        if model := self._model:
            pages = self._page_model(model)
            if self._plan.extracts and found.sources:
                question = decision.standalone_question
                found.sources = await pages.with_extracts(found.sources, question, self._plan)
            by_model = ModelAnswerer(
                self._request,
                setting=setting,
                scorer=scorer,
                context=self._context,
                pages=pages,
                opinion=self._opinion(setting.marker),
            )
            if answer := await by_model.answer(model, found.sources):
                return answer
            ms = round((self._budget.elapsed_s() - begun_s) * 1000)
            log_model_failure(model.name, cause_of(by_model.failure), ms=ms)
            has_sources = bool(found.sources)
            notify_failure(by_model.failure, self._request, self._ledger, has_sources=has_sources)
            await send_notices(self._ledger, self._send)
        by_excerpts = ExcerptAnswerer(
            self._request, setting=setting, scorer=scorer, context=self._context
        )
        return await by_excerpts.answer(found.sources, found.conflicts)

    def _page_model(self, model: AnswerModel) -> PageModel:
        name, marker = self._dependencies.fast_model, self._dependencies.new_marker()
        return PageModel(model, name=name, context=self._context, marker=marker)

    def _opinion(self, marker: str = "") -> ModelOpinion | None:
        model = self._model
        name = self._dependencies.judge_of(model) if model else ""
        if model is None or not name:
            return None
        marker = marker or self._dependencies.new_marker()
        return ModelOpinion(model, name=name, context=self._context, marker=marker)

    # Record.

    async def _record(self, decision: Decision, found: Findings, answer: Answer) -> Done:
        conversation = self._request.conversation_id or self._dependencies.new_id()
        request = replace(self._request, conversation_id=conversation)
        result = build_result(self._id, decision, found, answer, request)
        evidence_id = await self._keep_evidence(self._with_ledger(result), found, answer)
        await send_notices(self._ledger, self._send)
        result = self._with_ledger(replace(result, evidence_id=evidence_id))
        pages = (*found.user_pages, *found.gathered.pages.values())
        log_turn(result, pages=pages, user=self._user)
        return Done(result)

    def _with_ledger(self, result: TurnResult) -> TurnResult:
        now = self._clock.now()
        return with_ledger(result, self._ledger, now=now, elapsed_s=self._budget.elapsed_s())

    async def _keep_evidence(self, result: TurnResult, found: Findings, answer: Answer) -> str:
        """Store the evidence of the answer; return its id, empty if it could not be stored."""
        searched = self._searches(result.decision)
        record = evidence_of(result, found, answer, self._request, searched=searched)
        try:
            async with limited(self._budget.answer_s(self._dependencies.budgets.evidence_s)):
                await self._dependencies.evidence.save(self._id, self._request.caller, record)
        except (ServiceError, TimeoutError) as error:
            self._ledger.lose_by("store", error)
            return ""
        return self._id
