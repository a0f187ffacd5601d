"""An answer's evidence gives the same ranking and the same verified citations again."""

import httpx
import pytest

pytestmark = pytest.mark.e2e

QUESTIONS = (
    "What did the Ondry Bridge cost?",
    "Who is the current CEO of Norrvik Cells?",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_evidence_replays_to_the_same(client: httpx.Client, question: str) -> None:
    asked = {"message": question, "web_mode": "on", "user_id": "replayer"}
    answer = client.post("/v1/chat", json=asked).json()
    lost = {part["component"] for part in answer["degraded"]}
    path = f"/v1/evidence/{answer['evidence_id']}/replay"
    replayed = client.post(path, params={"user_id": "replayer"}).json()

    assert answer["citations"]
    # A scorer that was late in the turn has left nothing to rank again; a slow machine may have had
    # no time for a model, or for whole texts, which is told.
    ranking = replayed["ranking"]
    timely = "scorer" not in lost and "rated with" not in ranking.get("reason", "")
    assert ranking["status"] == ("same" if timely else "none")
    assert replayed["citations"]["status"] == "same"
    assert replayed["citations"]["checked"] == len(answer["citations"])
