"""Trains the linear model that tells what a sentence is worth to a summary.

    pip install numpy scipy scikit-learn
    python3 training/summaries/train.py

Reads train.tsv beside it and the exchanges of training/extraction, whose quotes are worth keeping and whose other
sentences count little as not worth it, and writes crates/text/src/summarize/worth.bin. Features and hashes are those
of training/intents/train.py. Prints the shares in five-fold cross-validation of train.tsv, how well the held-out
exchanges are told apart, and the values that a test compares.
"""
import importlib.util
import json
import pathlib
import re
import struct

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
# What a sentence counts for, by where it comes from: written for this, quoted as a memory, said beside one, answered.
WEIGHTS = {"written": 10, "quoted": 1, "beside": 0.05, "answered": 0.3}

spec = importlib.util.spec_from_file_location("intents", ROOT / "training/intents/train.py")
intents = importlib.util.module_from_spec(spec)
spec.loader.exec_module(intents)


def sentences(text):
    ends = r'[^.!?…;。！？；\n]+(?:[.!?…;。！？；]+["\')”»」]*(?=\s|$|[^\x00-\x7f])|$|\n)|[^\n]+'
    return [(m.start(), m.end(), m.group().strip()) for m in re.finditer(ends, text) if m.group().strip()]


def exchanges(paths):
    for line in (line for path in paths for line in path.read_text().splitlines()):
        row = json.loads(line)
        quotes = [(row["user"].find(e["quote"]), len(e["quote"]), e["kind"]) for e in row["expect"]]
        for start, end, text in sentences(row["user"]):
            kinds = [kind for at, length, kind in quotes if at >= 0 and start < at + length and at < end]
            yield text, kinds[0] if kinds else "none", "quoted" if kinds else "beside"
        for _, _, text in sentences(row["assistant"]):
            yield text, "none", "answered"


def fit(features, kinds, sources):
    model = LogisticRegression(C=5, max_iter=500, solver="liblinear")
    return model.fit(features, kinds != "none", sample_weight=[WEIGHTS[source] for source in sources])


def main():
    written = [line.split("\t") for line in (HERE / "train.tsv").read_text().splitlines()]
    rows = [(text, kind, "written") for kind, text in written]
    rows += exchanges(sorted((ROOT / "training/extraction").glob("author-*.jsonl")))
    texts, kinds, sources = (np.array(column) for column in zip(*rows))
    features, count = intents.matrix(texts), len(written)
    model = fit(features, kinds, sources)
    scale, bias = float(np.abs(model.coef_).max() / 127), float(model.intercept_[0])
    weights = np.round(model.coef_[0] / scale).astype(np.int8)
    (ROOT / "crates/text/src/summarize/worth.bin").write_bytes(struct.pack("<ff", scale, bias) + weights.tobytes())

    def worth(texts):
        return 1 / (1 + np.exp(-(intents.matrix(texts) @ (weights * scale) + bias)))

    crossed = np.zeros(count)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(kinds[:count], kinds[:count]):
        some = np.concatenate([train, np.arange(count, len(rows))])
        crossed[test] = fit(features[some], kinds[some], sources[some]).predict_proba(features[test])[:, 1]
    print(f"{'share at or above':<22}" + "".join(f"{t:>8}" for t in (0.2, 0.3, 0.5)))
    for kind in sorted(set(kinds[:count])):
        print(f"{kind:<22}" + "".join(f"{(crossed[kinds[:count] == kind] >= t).mean():>8.2f}" for t in (0.2, 0.3, 0.5)))
    held = list(exchanges((ROOT / "training/extraction").glob("heldout*.jsonl")))
    area = roc_auc_score([kind != "none" for _, kind, _ in held], worth([text for text, _, _ in held]))
    print(f"held-out exchanges, area under the curve: {area:.3f}")
    for text in ("We settled on the oak floor.", "我住在成都。", "Thanks, that helps!"):
        print(text, round(float(worth([text])[0]), 4))


if __name__ == "__main__":
    main()
