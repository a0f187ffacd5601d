"""Real Prometheus and Alertmanager over the real services: panels have data, the right alert fires.

The rules are the deployed ones with windows and pauses of minutes made shorter by one factor;
thresholds, labels, routes and inhibitions stay.
"""

import importlib.util
import itertools
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
import yaml

from rig.fake_brave import FakeBrave
from rig.fake_model import FakeModel, serve_model
from rig.installation import ROOT, Installation, start_installation
from rig.pager import Pager, serve_pager
from rig.ports import free_port
from rig.watched import of_model

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.prometheus,
    pytest.mark.alertmanager,
    pytest.mark.timeout(600),
]

OFFSET = 11700
SERVICES = ("gateway", "decision", "search", "scorer", "fetcher")
OBSERVABILITY = ROOT / "deploy" / "observability"
BOARDS = yaml.safe_load((OBSERVABILITY / "dashboards.yaml").read_text("utf-8"))
# Five minutes of the deployed rules are twenty seconds here.
SECONDS_PER_MINUTE = 4
# Also the time limit of a scrape, which a busy service must not miss: it would count as down.
SCRAPE_S = 4
# These say that the machine is too slow for the load, which may be true of it, whatever else is on.
OF_A_SLOW_MACHINE = {"SlowTurns", "ScorerSaturated"}
PAGES = f"localhost:{8099 + OFFSET}"
NUMBERS = itertools.count()
CHIEF = f"http://norrvik.{PAGES}/leadership.html"


@dataclass
class Monitoring:
    """The running installation with everything that watches it."""

    installation: Installation
    brave: FakeBrave
    pager: Pager
    prometheus: str
    alertmanager: str

    def ask(self, message: str, **options: Any) -> dict[str, Any]:
        """Ask the gateway."""
        return self.post("/v1/chat", message=message, **options)

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a request to the gateway."""
        url = f"{self.installation.url}{path}"
        response = httpx.post(url, json=body, timeout=60, trust_env=False)
        assert response.status_code == 200, response.text
        return dict(response.json())

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Ask Prometheus."""
        answer = httpx.get(
            f"{self.prometheus}/api/v1/query",
            params={"query": expression},
            timeout=10,
            trust_env=False,
        ).json()
        assert answer["status"] == "success", answer
        return list(answer["data"]["result"])

    def wait(self, condition: Callable[[], object], what: str, within_s: float = 240) -> None:
        """Wait for something to become true."""
        end = time.monotonic() + within_s
        while not condition():
            assert time.monotonic() < end, (what, self.query("ALERTS"), self.pager)
            time.sleep(0.5)


@pytest.fixture(scope="module")
def monitoring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Monitoring]:
    folder = tmp_path_factory.mktemp("monitoring")
    with ExitStack() as stack:
        brave = FakeBrave(results=results())
        brave.start()
        model = stack.enter_context(
            serve_model(FakeModel(pieces=["Norrvik Cells is led by its CEO ", "[1]. "]))
        )
        model.usage = {"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420}
        pager, pager_port = stack.enter_context(serve_pager())
        installation = start_installation(folder / "data", OFFSET, environment(brave, model))
        stack.callback(installation.stop)
        installation.wait_for_line("ready after")
        alertmanager = _start_alertmanager(stack, folder, pager_port)
        prometheus = _start_prometheus(stack, folder, alertmanager)
        yield Monitoring(
            installation,
            brave,
            pager,
            f"http://127.0.0.1:{prometheus}",
            f"http://127.0.0.1:{alertmanager}",
        )


def results() -> list[dict[str, Any]]:
    """Return what the provider finds: pages of the corpus, as it describes them."""
    return [
        {
            "title": "Norrvik Cells names a new chief executive",
            "url": CHIEF,
            "description": "Norrvik Cells, maker of battery cells, has a new CEO.",
            "page_age": "2026-11-10T08:00:00",
        },
        {
            "title": "Norrvik Cells: company profile and CEO",
            "url": f"http://almanac.{PAGES}/norrvik-cells.html",
            "description": "Profile of Norrvik Cells, its CEO, its plants and its history.",
            "page_age": "2026-10-01T08:00:00",
        },
    ]


def environment(brave: FakeBrave, model: FakeModel) -> dict[str, str]:
    return {
        "SEARCH_PROVIDERS": "brave",
        "BRAVE_SEARCH_API_KEY": "not-a-secret",
        "BRAVE_BASE_URL": brave.url,
        "SEARCH_PRICES": "brave=5",
        **of_model(model),
        "LLM_PRICES": "test-model=1/2",
        # However late this machine makes it, no turn is refused, which would be an alert's matter.
        "GATEWAY_MAX_LAG_MS": "60000",
        # The corpus' fixed day would make every key and result look old or new at random.
        "PELLUCID_CLOCK": "",
    }


def _start_alertmanager(stack: ExitStack, folder: Path, pager_port: int) -> int:
    """Start it with the deployed routes; receivers become the pager, pauses become short."""
    routes = yaml.safe_load((OBSERVABILITY / "alertmanager" / "alertmanager.yaml").read_text())
    hook = {"url": f"http://127.0.0.1:{pager_port}/", "send_resolved": True}
    routes["receivers"] = [
        {"name": "pager", "webhook_configs": [hook]},
        {"name": "mail", "webhook_configs": [hook]},
    ]
    for route in (routes["route"], *routes["route"]["routes"]):
        route |= {"group_wait": "1s", "group_interval": "2s"}
    (folder / "alertmanager.yaml").write_text(yaml.safe_dump(routes), "utf-8")
    port = free_port()
    _start(
        stack,
        folder / "alertmanager.log",
        "alertmanager" if shutil.which("alertmanager") else "prometheus-alertmanager",
        f"--config.file={folder / 'alertmanager.yaml'}",
        f"--storage.path={folder / 'alertmanager'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    )
    return port


def _start_prometheus(stack: ExitStack, folder: Path, alertmanager: int) -> int:
    scrapes = [
        {
            "job_name": f"pellucid-{name}",
            # The label that Kubernetes and the compose file give; the alerts are by namespace.
            "static_configs": [
                {
                    "targets": [f"127.0.0.1:{9100 + number + OFFSET}"],
                    "labels": {"namespace": "pellucid"},
                }
            ],
        }
        for number, name in enumerate(SERVICES)
    ]
    config = {
        "global": {"scrape_interval": f"{SCRAPE_S}s", "evaluation_interval": "1s"},
        "rule_files": [str(folder / "rules" / "*.yaml")],
        "alerting": {
            "alertmanagers": [{"static_configs": [{"targets": [f"127.0.0.1:{alertmanager}"]}]}]
        },
        "scrape_configs": scrapes,
    }
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(config), "utf-8")
    (folder / "rules").mkdir()
    for file in (OBSERVABILITY / "rules").glob("*.yaml"):
        (folder / "rules" / file.name).write_text(shortened(file.read_text("utf-8")), "utf-8")
    port = free_port()
    _start(
        stack,
        folder / "prometheus.log",
        "prometheus",
        f"--config.file={folder / 'prometheus.yaml'}",
        f"--storage.tsdb.path={folder / 'prometheus'}",
        f"--web.listen-address=127.0.0.1:{port}",
    )
    _wait_ready(f"http://127.0.0.1:{port}/-/ready")
    return port


def _wait_ready(url: str) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with suppress(httpx.TransportError):
            if httpx.get(url, timeout=10, trust_env=False).status_code == 200:
                return
        time.sleep(0.1)
    raise TimeoutError(f"{url} is not ready")


def shortened(rules: str) -> str:
    """Return the rules with short windows, pauses and intervals."""

    def shorter(minutes: re.Match[str]) -> str:
        return f"{minutes[1]}{int(minutes[2]) * SECONDS_PER_MINUTE}s"

    rules = re.sub(r"interval: \d+s", "interval: 1s", rules)
    return re.sub(r"(\[|for: )(\d+)m\b", shorter, rules)


def _start(stack: ExitStack, log: Path, *command: str) -> None:
    output = stack.enter_context(log.open("wb"))
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    stack.callback(process.wait, timeout=20)
    stack.callback(process.terminate)


def load(monitoring: Monitoring) -> None:
    """Send every kind of turn: with and without search, a page, a lost page, feedback."""
    number = next(NUMBERS)
    found = monitoring.ask(f"Who is the current CEO of Norrvik Cells, plant {number}?")
    monitoring.ask("What is photosynthesis?")
    monitoring.ask(f"Summarize {CHIEF}")
    monitoring.ask("Summarize http://127.0.0.1:1/ please")
    monitoring.post("/v1/feedback", id=found["id"], rating="up")
    monitoring.post("/compat/tavily/search", query=f"mail from jo.{number}@mail.example")


@pytest.fixture(scope="module")
def loaded(monitoring: Monitoring) -> Monitoring:
    monitoring.wait(lambda: monitoring.query("count(up) == 5"), "all scraped once")
    load(monitoring)
    # A counter has a rate once it was seen before and after: first as it begins, then as it grows.
    time.sleep(1.5 * SCRAPE_S)
    load(monitoring)
    monitoring.brave.stop()
    load(monitoring)  # degraded answers, for the panels that show them
    monitoring.brave.start()
    return monitoring


def render_module() -> ModuleType:
    """What makes Grafana's queries of those in the file."""
    found = importlib.util.spec_from_file_location("render", OBSERVABILITY / "render.py")
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


PANELS = [
    pytest.param(query, panel.get("may_be_empty", False), id=f"{board}: {panel['title']} {legend}")
    for board, content in BOARDS.items()
    for panel in content["panels"]
    for legend, query in panel["queries"].items()
]


def test_every_service_is_scraped(loaded: Monitoring) -> None:
    loaded.wait(lambda: len(loaded.query("up == 1")) == len(SERVICES), "all scraped")


@pytest.mark.parametrize(("query", "may_be_empty"), PANELS)
def test_a_panel_has_data(loaded: Monitoring, query: str, may_be_empty: bool) -> None:  # noqa: FBT001 - a table's column
    drawn = render_module().in_namespace(query)
    expression = drawn.replace("$__rate_interval", "2m").replace("$namespace", ".*")

    def seen() -> bool:
        if may_be_empty or loaded.query(expression):
            return True
        load(loaded)  # what there was may lie longer back than the panel looks
        return False

    loaded.wait(seen, expression)


def test_only_the_alert_for_the_lost_provider_fires_and_it_ends(loaded: Monitoring) -> None:
    machine = "|".join(sorted(OF_A_SLOW_MACHINE))
    alerts = f'ALERTS{{alertstate="firing",alertname!~"{machine}"}}'
    loaded.wait(lambda: not loaded.query(alerts), "a quiet start")
    loaded.pager.firing.clear()
    answered = len(loaded.brave.queries)
    assert answered > 0
    loaded.brave.stop()
    asked = 0

    def ask_and_look() -> bool:
        nonlocal asked
        asked += 1
        answer = loaded.ask(f"latest price of Norrvik Cells shares, question {asked}")
        assert answer["degraded"], "the loss is said"
        return "SearchDown" in loaded.pager.firing

    loaded.wait(ask_and_look, "SearchDown")
    time.sleep(2 + SCRAPE_S)  # longer than any other alert's pause and its way to the pager
    assert set(loaded.pager.firing) - OF_A_SLOW_MACHINE == {"SearchDown"}
    assert len(loaded.brave.queries) == answered, "nobody answered: the fault was there"

    loaded.brave.start()

    def ask_and_look_again() -> bool:
        nonlocal asked
        asked += 1
        loaded.ask(f"latest price of Norrvik Cells shares, question {asked}")
        return "SearchDown" in loaded.pager.resolved

    # The longer it was down, the longer nobody asks the provider again.
    loaded.wait(ask_and_look_again, "the end of SearchDown", 300)
    assert set(loaded.pager.firing) - OF_A_SLOW_MACHINE == {"SearchDown"}
