"""Trains the linear model that tells whether a message asks for something remembered.

    pip install numpy scipy scikit-learn
    python3 training/intents/train.py

Reads train.jsonl, writes crates/text/src/intent.bin, and prints how the model does in five-fold
cross-validation and on the held-out lists, which another author wrote. `features` must stay equal to the function of
the same name in crates/text/src/intent.rs: a test there compares hashes that this script prints.
"""
import json
import pathlib
import struct
import unicodedata

import numpy as np
import scipy.sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
BUCKETS = 1 << 14


def words(text):
    """Runs of letters and digits in lower case, and the marks that ask or exclaim; every number is one word."""
    found, word = [], ""
    for c in unicodedata.normalize("NFKC", text).lower() + " ":
        if c.isalnum():
            word += c
            continue
        if word:
            found.append("0" if word.isdigit() else word)
            word = ""
        if c in "?!¿¡":
            found.append(c)
    return found


def features(text):
    tokens = words(text)
    found = {"n %d" % min(len(tokens).bit_length(), 6)}
    for before, word in zip([None] + tokens, tokens):
        found.add("w " + word)
        if before is not None:
            found.add("2 " + before + " " + word)
        if any(ord(c) > 0x2E80 for c in word):
            for n in (1, 2, 3):
                found.update("c " + word[i : i + n] for i in range(len(word) - n + 1))
        else:
            for n in (3, 4):
                if len(word) >= n:
                    found.add("s " + word[-(n - 1) :] + ">")
                    found.add("p " + word[:n])
    if tokens:
        found.update(["^ " + tokens[0], "$ " + tokens[-1]])
    if len(tokens) > 1:
        found.add("^^ " + tokens[0] + " " + tokens[1])
    return found


def bucket(feature):
    """FNV-1a."""
    value = 0x811C9DC5
    for byte in feature.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value % BUCKETS


def matrix(texts):
    row, column, value = [], [], []
    for index, text in enumerate(texts):
        found = features(text)
        for feature in found:
            row.append(index)
            column.append(bucket(feature))
            value.append(1 / np.sqrt(len(found)))
    return scipy.sparse.csr_matrix((value, (row, column)), shape=(len(texts), BUCKETS))


def lines(path):
    return [line for line in path.read_text().splitlines() if line.strip()]


def main():
    rows = [json.loads(line) for line in lines(HERE / "train.jsonl")]
    texts, labels = matrix([row["text"] for row in rows]), np.array([row["label"] for row in rows])
    asks = (labels == "memory").astype(int)
    model = LogisticRegression(C=8, max_iter=1000, solver="liblinear")
    crossed = cross_val_predict(model, texts, asks, cv=5, method="predict_proba")[:, 1]
    model.fit(texts, asks)
    scale = float(np.abs(model.coef_).max() / 127)
    weights = np.round(model.coef_[0] / scale).astype(np.int8)
    out = ROOT / "crates/text/src/intent.bin"
    out.write_bytes(struct.pack("<ff", scale, float(model.intercept_[0])) + weights.tobytes())

    def probability(texts):
        score = matrix(texts) @ (weights.astype(np.float64) * scale) + model.intercept_[0]
        return 1 / (1 + np.exp(-score))

    heldout = {
        "small talk (held out)": probability(lines(ROOT / "crates/app/src/commands/eval/small-talk.txt")),
        "asks memory (held out)": probability(lines(HERE / "heldout-asks-memory.txt")),
    }
    groups = {f"{label} (cross-validated)": crossed[labels == label] for label in sorted(set(labels))} | heldout
    print(f"{'share at or above':<28}" + "".join(f"{t:>8}" for t in (0.15, 0.3, 0.5)))
    for name, values in groups.items():
        print(f"{name:<28}" + "".join(f"{(values >= t).mean():>8.3f}" for t in (0.15, 0.3, 0.5)))
    for text in ("Where's my key?", "上次你推荐的那本书叫什么", "¿Qué dije ayer?"):
        print(text, sorted(bucket(f) for f in features(text))[:6], round(float(probability([text])[0]), 4))


if __name__ == "__main__":
    main()
