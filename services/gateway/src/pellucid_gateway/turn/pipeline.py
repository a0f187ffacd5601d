"""One turn from message to result: decide, read and search, answer, record.

Each part may be lost; what is lost becomes data of the result. The time of the whole is bounded by
the engine.
"""

from collections.abc import Mapping
from dataclasses import replace

from pellucid_gateway.answering.excerpts import ExcerptAnswerer
from pellucid_gateway.answering.failures import cause_of
from pellucid_gateway.answering.model_answer import ModelAnswerer
from pellucid_gateway.answering.named_room import named_room
from pellucid_gateway.answering.page_model import PageModel
from pellucid_gateway.answering.setting import Setting
from pellucid_gateway.answering.waiting import send_notices, told_when_slow
from pellucid_gateway.conflicts.detection import find_conflicts
from pellucid_gateway.conflicts.notes import Conflict, note_of, told
from pellucid_gateway.conversation.evidence import Basis, evidence_record
from pellucid_gateway.domain.answer import Answer
from pellucid_gateway.domain.answer_model import AnswerModel
from pellucid_gateway.domain.attachment import is_attachment
from pellucid_gateway.domain.decision import Action, Decision, WebMode
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
from pellucid_gateway.domain.notices import SEARCH_LOST, wording_for
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.question.fallback_decision import find_urls
from pellucid_gateway.retrieval import sources as sourcing
from pellucid_gateway.retrieval.choosing import UNREAD_NAMED_TOKENS, PassageChooser, Wanted
from pellucid_gateway.retrieval.labels import labelled
from pellucid_gateway.retrieval.reading import PageReader
from pellucid_gateway.retrieval.search_plan import QueryToWrite, SearchPlan
from pellucid_gateway.retrieval.search_rounds import Gatherer
from pellucid_gateway.turn.dependencies import Dependencies, considered
from pellucid_gateway.turn.disagreements import upheld
from pellucid_gateway.turn.follow_ups import reused_sources
from pellucid_gateway.turn.model_failures import notify_failure
from pellucid_gateway.turn.named_pages import take_page
from pellucid_gateway.turn.offers import Offer
from pellucid_gateway.turn.page_follow_ups import with_named_page
from pellucid_gateway.turn.result import Findings, Identifiers, basis_of, build_result, with_account
from pellucid_gateway.turn.search_loss import notify_loss
from pellucid_gateway.turn.speculation import Speculation
from pellucid_gateway.turn.turn_log import (
    count_read,
    day_name,
    log_decision,
    log_model_failure,
    log_turn,
)
from pellucid_gateway.turn.unaided import looked_up
from pellucid_gateway.turn_context.budgets import TurnBudget, limited
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.turn_context.plans import plan_for
from pellucid_gateway.verification.model_judge import ModelOpinion
from pellucid_runtime.errors import ServiceError

KOREAN = "ko"
# Results of a forced search, and candidates of a turn, when the request names no number.
DEFAULT_RESULTS = 5


class OneTurn:
    """Runs one turn.

    Args:
        request: What is asked.
        dependencies: Services, model, store, clock.
        budget: The turn's time.
        send: Takes every event but the last.
    """

    def __init__(
        self, request: TurnRequest, *, dependencies: Dependencies, budget: TurnBudget, send: Send
    ) -> None:
        self._request = request
        self._dependencies = dependencies = dependencies.for_turn(request)
        self._budget = budget
        self._send = send
        self._ledger = TurnLedger(dependencies.clock, wording_for(request.language))
        self._plan = plan_for(request, dependencies.plans)
        self._context = dependencies.context(budget, self._ledger, send)
        self._reader = PageReader(
            dependencies.services.fetcher,
            context=self._context,
            attachments=request.attachments,
        )
        self._gatherer = Gatherer(
            dependencies.services,
            reader=self._reader,
            standings=dependencies.standings,
            context=self._context,
        )
        self._id = dependencies.new_id()
        self._user = day_name(request.caller, dependencies.clock.now())
        self._read_before: Mapping[str, PageContent] = {}
        self._walled: tuple[str, ...] = ()
        self._to_write: QueryToWrite | None = None

    async def run(self) -> Done:
        """Do the turn.

        Raises:
            ServiceError: It cannot be answered at all.
        """
        speculation = Speculation(
            self._request, search=self._dependencies.services.search, context=self._context
        )
        speculation.begin()
        try:
            decision = await self._decide()
            return await self._decided(decision, speculation)
        finally:
            await speculation.drop()

    async def _decided(self, decision: Decision, speculation: Speculation) -> Done:
        found = Findings(sources=reused_sources(self._request, decision, self._context.clock.now()))
        if found.sources:
            self._ledger.notify("earlier_sources")
            return await self._answered(decision, found)
        await self._take_quota(decision)
        async with told_when_slow(self._context):
            await self._gather(decision, found, speculation)
        if self._is_results_only(decision):
            return await self._done_with_results(decision, found)
        self._notify_gaps(decision, found)
        return await self._answered(decision, found)

    async def _gather(self, decision: Decision, found: Findings, speculation: Speculation) -> None:
        await self._read_user_pages(decision, found)
        begun = await speculation.settle(decision, searches=self._searches(decision))
        if self._searches(decision):
            search_plan = replace(self._search_plan(decision), begun=begun)
            found.gathered = await self._gatherer.gather(search_plan)
            found.web_lost = self._ledger.web_lost
        if not self._is_results_only(decision):
            await self._context.rounds.turn()
            await self._find_sources(decision, found)

    async def _answered(self, decision: Decision, found: Findings) -> Done:
        found.sources = labelled(found.sources, self._ledger.wording, self._context.clock.now())
        if found.sources:
            await self._send(SourcesReady(found.sources))
        await self._context.rounds.turn()
        found.conflicts = await self._conflicts(decision, found)
        for conflict in found.conflicts[:1]:
            code, values = told(conflict, self._ledger.wording)
            self._ledger.notify(code, **values)
        answer = await self._answer(decision, found)
        return await self._done(decision, found, answer)

    async def _conflicts(self, decision: Decision, found: Findings) -> tuple[Conflict, ...]:
        conflicts = find_conflicts(found.sources, decision.standalone_question)
        model = self._dependencies.model_for(self._request) if conflicts else None
        opinion = self._opinion(model, self._dependencies.new_id()[-8:]) if model else None
        return await upheld(conflicts, opinion, most_s=self._context.budgets.opinion_s)

    async def _decide(self) -> Decision:
        if self._request.recall is not None:
            self._request = replace(self._request, memories=await self._request.recall())
        followed = await with_named_page(
            self._request,
            await self._considered(self._request),
            self._reader,
            self._ledger,
            decide=self._considered,
            offer=Offer(
                decide=self._considered,
                evidence=self._dependencies.evidence,
                scorer=self._dependencies.services.scorer,
            ),
        )
        decision, self._read_before = followed.decision, followed.pages
        self._walled = followed.walled
        if self._dependencies.model_for(self._request) is None:
            clock, decide = self._dependencies.clock, self._considered
            decision = await looked_up(self._request, decision, clock=clock, decide=decide)
        language = self._request.language or decision.language
        self._ledger.wording = wording_for(language)
        if self._ledger.lost("decision"):
            self._ledger.notify("simple_decision")
        log_decision(decision, ms=self._ledger.timings_ms.get("decision", 0), user=self._user)
        await self._send(Decided(decision))
        self._notify_decision(decision)
        return decision

    async def _considered(self, request: TurnRequest) -> Decision:
        decision, self._to_write = await considered(
            request, self._dependencies, self._budget, self._ledger
        )
        return decision

    def _notify_decision(self, decision: Decision) -> None:
        request = self._request
        if decision.ignored_urls and request.web_mode is not WebMode.OFF:
            self._ledger.notify("urls_ignored", urls=", ".join(decision.ignored_urls))
        addresses = [url for url in find_urls(request.message) if not is_attachment(url)]
        if request.web_mode is WebMode.OFF and addresses:
            self._ledger.notify("web_off")
        if decision.needs_search and request.quota_spent:
            self._ledger.notify("rate_limited")
        if request.force_search and (decision.topicless or not decision.needs_search):
            self._ledger.notify("chat_instead")

    async def _take_quota(self, decision: Decision) -> None:
        """A turn that would search takes one of the person's; without one it does not search."""
        if not self._searches(decision):
            return
        state = await self._dependencies.quota.take(self._request.caller)
        if not state.allowed:
            self._request = replace(self._request, quota_spent=True)
            self._ledger.notify("rate_limited")

    def _searches(self, decision: Decision) -> bool:
        forced_chat = self._request.force_search and decision.topicless
        wanted = decision.needs_search and bool(decision.queries)
        return wanted and not self._request.quota_spent and not forced_chat

    def _is_results_only(self, decision: Decision) -> bool:
        return self._request.force_search and self._searches(decision)

    async def _read_user_pages(self, decision: Decision, found: Findings) -> None:
        urls = self._named(decision)
        if not urls:
            return
        pages = self._read_before or await self._reader.read_named(
            urls, no_external=self._request.no_external
        )
        for url in urls:
            content = take_page(url, pages.get(url), found, self._request, self._ledger)
            await self._send(content)

    def _named(self, decision: Decision) -> tuple[str, ...]:
        """Pages to read; with the web off attachments alone, for which nothing leaves."""
        reads = decision.action in {Action.FETCH, Action.SEARCH}
        if reads and self._request.web_mode is not WebMode.OFF:
            return decision.urls
        named = decision.urls or find_urls(self._request.message)
        return tuple(filter(is_attachment, named))

    def _search_plan(self, decision: Decision) -> SearchPlan:
        options = self._request.options
        if options.site and not decision.site:
            decision = replace(decision, site=options.site)
        results = options.max_results or max(DEFAULT_RESULTS, self._plan.sources)
        return SearchPlan(
            decision=decision,
            plan=self._plan,
            options=options,
            max_results=results,
            subject=self._request.subject,
            caller=self._request.caller,
            language=self._language(decision),
            reads_pages=not self._request.force_search,
            to_write=self._to_write,
            walled=self._walled,
        )

    def _language(self, decision: Decision) -> str:
        own = self._request.language or decision.language
        return "" if own == "und" else own

    async def _find_sources(self, decision: Decision, found: Findings) -> None:
        """Number the sources, each with the passages that the model is shown."""
        wanted = Wanted(
            decision.standalone_question, self._request.message, tuple(found.gathered.refined)
        )
        chooser = PassageChooser(self._dependencies.services.scorer, context=self._context)
        model = self._dependencies.model
        room = UNREAD_NAMED_TOKENS
        if model:
            room = named_room(self._request, self._plan, model.window_tokens)
        named = await chooser.of_named(found.user_pages, wanted, most_tokens=room)
        own = sourcing.from_user_pages(found.user_pages, passages=named)
        gathered = found.gathered
        passages = await chooser.of_hits(
            gathered.included,
            gathered.pages,
            wanted,
            self._plan,
            are_quoted=self._dependencies.model_for(self._request) is None,
        )
        hits = sourcing.from_hits(
            gathered.included,
            gathered.pages,
            passages=passages,
            most=self._plan.sources,
            first_n=len(own) + 1,
        )
        found.sources = (*own, *hits)

    def _notify_gaps(self, decision: Decision, found: Findings) -> None:
        if not self._searches(decision):
            return
        is_lost = found.gathered.search_lost or found.web_lost
        if is_lost:
            notify_loss(
                self._ledger,
                has_results=bool(found.gathered.included),
                has_subject=self._request.subject is not None,
            )
        elif not found.gathered.included:
            self._ledger.notify("nothing_found", cutoff=self._dependencies.cutoff_month)

    def _opinion(self, model: AnswerModel, marker: str) -> ModelOpinion | None:
        """Who judges citations: the model for small tasks, else the one that answers."""
        if not self._dependencies.asks_on_claims:
            return None
        name = self._dependencies.fast_model or model.name
        return ModelOpinion(model, name=name, context=self._context, marker=marker)

    async def _answer(self, decision: Decision, found: Findings) -> Answer:
        model = self._usable_model(decision, found)
        if self._budget.stage_s(1.0) <= 0:
            self._ledger.lose("deadline", "gathering used up its share")
            self._ledger.notify("taking_long")
        await send_notices(self._ledger, self._send)
        setting, scorer = self._setting(decision, found), self._dependencies.services.scorer
        begun_s = self._budget.elapsed_s()
        if model:
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
                opinion=self._opinion(model, setting.marker),
            )
            if answer := await by_model.answer(model, found.sources):
                return answer
            ms = round((self._budget.elapsed_s() - begun_s) * 1000)
            log_model_failure(model.name, cause_of(by_model.failure), ms=ms)
            notify_failure(by_model.failure, self._request, found, self._ledger)
            await send_notices(self._ledger, self._send)
        by_excerpts = ExcerptAnswerer(
            self._request, setting=setting, scorer=scorer, context=self._context
        )
        return await by_excerpts.answer(found.sources, found.conflicts)

    def _page_model(self, model: AnswerModel) -> PageModel:
        name, marker = self._dependencies.fast_model, self._dependencies.new_id()[-8:]
        return PageModel(model, name=name, context=self._context, marker=marker)

    async def _with_summaries(self, results: tuple[Source, ...]) -> tuple[Source, ...]:
        """Results with a Korean sentence on each foreign one, for who reads Korean."""
        model = self._dependencies.model_for(self._request)
        if model is None or self._ledger.wording.language != KOREAN:
            return results
        said = await self._page_model(model).korean_summaries(results)
        return tuple(replace(result, summary=said.get(result.n, "")) for result in results)

    def _usable_model(self, decision: Decision, found: Findings) -> AnswerModel | None:
        model = self._dependencies.model_for(self._request)
        asks = bool(decision.urls) or not decision.topicless
        if self._dependencies.model is None and not found.sources and asks:
            self._ledger.notify("no_model")
        elif model is not self._dependencies.model:
            self._ledger.notify("model_external")
        return model

    def _setting(self, decision: Decision, found: Findings) -> Setting:
        model = self._dependencies.model
        return Setting(
            question=decision.standalone_question,
            language=self._request.language or decision.language,
            now=self._dependencies.clock.now(),
            knowledge_cutoff=self._dependencies.knowledge_cutoff,
            window_tokens=model.window_tokens if model else 0,
            marker=self._dependencies.new_id()[-8:],
            plan=self._plan,
            searched=self._searches(decision) or bool(decision.urls or found.sources),
            notes=(*found.notes, *map(note_of, found.conflicts)),
            unread=tuple(page.url for page in found.url_contents if not page.success),
            lost=next((n.text for n in self._ledger.notices if n.code in SEARCH_LOST), ""),
            private=self._dependencies.hidden(self._request),
            is_small_talk=decision.topicless and not decision.urls,
        )

    async def _done_with_results(self, decision: Decision, found: Findings) -> Done:
        scored = found.gathered.included
        results = sourcing.as_results(scored, found.gathered.pages)
        found.sources = labelled(results, self._ledger.wording, self._context.clock.now())
        self._notify_gaps(decision, found)
        await self._send(ResultsReady(decision.queries[0].text, found.sources))
        found.sources = await self._with_summaries(found.sources)
        return await self._done(decision, found, Answer(text="", kind=AnswerKind.RESULTS))

    async def _done(self, decision: Decision, found: Findings, answer: Answer) -> Done:
        conversation = self._request.conversation_id or self._dependencies.new_id()
        ids = Identifiers(turn=self._id, conversation=conversation)
        result = build_result(ids, decision, found, answer, self._request)
        searched = self._searches(decision)
        basis = basis_of(decision, found, answer, self._request, searched=searched)
        evidence_id = await self._record(self._accounted(result), decision, found, basis)
        await send_notices(self._ledger, self._send)
        result = self._accounted(replace(result, evidence_id=evidence_id))
        pages = count_read(*found.user_pages, *found.gathered.pages.values())
        log_turn(result, pages=pages, user=self._user)
        return Done(result)

    def _accounted(self, result: TurnResult) -> TurnResult:
        now = self._dependencies.clock.now()
        return with_account(result, self._ledger, now=now, elapsed_s=self._budget.elapsed_s())

    async def _record(
        self, result: TurnResult, decision: Decision, found: Findings, basis: Basis
    ) -> str:
        """Keep the evidence; returns its id, empty when it could not be kept."""
        record = evidence_record(
            result,
            question=decision.standalone_question,
            excluded=[
                *(hit for hit in found.gathered.scored if not hit.included),
                *found.gathered.avoided.values(),
            ],
            user_pages=found.user_pages,
            basis=basis,
        )
        try:
            async with limited(self._budget.answer_s(self._dependencies.budgets.evidence_s)):
                await self._dependencies.evidence.save(self._id, self._request.caller, record)
        except (ServiceError, TimeoutError) as error:
            self._ledger.lose_by("store", error)
            return ""
        return self._id
