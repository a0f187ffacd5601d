"""Trains the scorer's model of spam on rows of our own, a minute on two cores.

    python eval/spam_train.py

It embeds `eval/spam_rows.txt` and rows made of it (an honest and a dishonest page on each of many
topics) with the encoders of the scorer, fits a logistic regression for spam and one for harm,
prints what is right of rows whose topics were not seen, and writes
`services/scorer/src/pellucid_scorer/ranking/spam.json`.
"""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pellucid_scorer.adapters import backends
from pellucid_scorer.ports import Encoder, TokenIds
from pellucid_scorer.ranking.candidates import Candidate
from pellucid_scorer.ranking.spam import inputs
from pellucid_scorer.settings import ScorerSettings

HERE = Path(__file__).parent
OUTPUT = HERE.parent / "services/scorer/src/pellucid_scorer/ranking/spam.json"
FOLDS = 5
RIDGE = 0.5
"""Swept .5 to 4 on unseen topics: above it more of the bad stays."""
BATCH = 16
STEPS = 30
LEVELS = 127
"""Weights are kept as whole numbers of one byte."""
FRAMES = {"o": 4, "w": 2, "s": 3, "h": 2}
"""Pages of each topic: of use, warnings of harm (of use as well), spam, harmful."""
LABELS = {"w": "o"}
Row = tuple[str, str, Candidate]
"""Label (s, h or o), group and the result."""
Floats = npt.NDArray[np.float64]


def written() -> Iterator[Row]:
    """Yield the rows of the file, each a group of its own."""
    for line in (HERE / "spam_rows.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            # A title may have bars of its own.
            label, url, rest = line.split("|", 2)
            title, snippet = rest.rsplit("|", 1)
            yield label, url, Candidate(url, url, title, snippet)


def made() -> Iterator[Row]:
    """Yield honest and dishonest pages of each topic; a topic is a group."""
    rng = random.Random(7)  # noqa: S311 - no secret
    table = json.loads((HERE / "spam_topics.json").read_text("utf-8"))
    for topic, fact in table["topics"]:
        words = {"topic": topic, "Topic": topic.title(), "TOPIC": topic.upper(), "fact": fact}
        words["slug"] = topic.replace(" ", "-").lower()
        for kind, few in FRAMES.items():
            for url, title, snippet in rng.sample(table["frames"][kind], few):
                filled = [part.format(**words) for part in (url, title, snippet)]
                yield LABELS.get(kind, kind), topic, Candidate(filled[0], *filled)


def embedded(encoder: Encoder, texts: Sequence[TokenIds]) -> npt.NDArray[np.float32]:
    """Return one row per text; texts of like length go together."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    found = np.empty((len(texts), encoder.dimensions), np.float32)
    for start in range(0, len(order), BATCH):
        places = order[start : start + BATCH]
        found[places] = encoder.encode([texts[place] for place in places])
    return found


def fitted(rows: Floats, wanted: Floats) -> Floats:
    """Return the weights of a ridge logistic regression, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    ridge = np.full(rows.shape[1], RIDGE)
    ridge[-1] = 1e-3
    for _ in range(STEPS):
        said = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (wanted - said) - ridge * weights
        bend = (rows * (said * (1 - said))[:, None]).T @ rows + np.diag(ridge)
        weights += np.linalg.solve(bend, slope)
    return weights


def report(rows: Floats, labels: Sequence[str], groups: Sequence[str], name: str) -> None:
    """Print what is right of groups that were not trained on."""
    order = {group: n for n, group in enumerate(dict.fromkeys(groups))}
    fold = np.array([order[group] % FOLDS for group in groups])
    bad = np.array([label != "o" for label in labels])
    said = np.zeros(len(labels))
    for n in range(FOLDS):
        train = fold != n
        weights = fitted(rows[train], bad[train].astype(float))
        said[~train] = 1 / (1 + np.exp(-rows[~train] @ weights))
    for least in (0.5, 0.7, 0.8):
        caught, lost = (said[bad] > least).mean(), (said[~bad] > least).mean()
        print(f"{name}: above {least} are {caught:.3f} of the bad and {lost:.3f} of the good")


def main() -> None:
    """Train, report and write."""
    rows = [*written(), *made()]
    labels, groups = [row[0] for row in rows], [row[1] for row in rows]
    candidates = [row[2] for row in rows]
    found = {}
    for encoder in backends.open_models(ScorerSettings()).encoders:
        texts = [encoder.prefixes.passage + candidate.text for candidate in candidates]
        tokens = encoder.tokenize(texts)
        vectors = embedded(encoder, tokens)
        table = inputs(candidates, vectors).astype(np.float64)
        name = encoder.name.partition("/")[0]
        report(table, labels, groups, name)
        both = [[label != "o" for label in labels], [label == "h" for label in labels]]
        weights = np.vstack([fitted(table, np.array(one, float)) for one in both])
        scale = float(np.abs(weights).max()) / LEVELS
        found[name] = {"scale": scale, "weights": np.round(weights / scale).astype(int).tolist()}
    OUTPUT.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
