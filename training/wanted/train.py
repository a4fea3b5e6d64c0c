"""Trains the linear model that tells what a message wants: a list of the person's, a plan, a routine's message, or nothing.

    pip install numpy scipy scikit-learn
    python3 training/wanted/train.py

Reads questions.txt, the messages of ../intents and the quotes of ../extraction, writes crates/text/src/intent/wanted.bin,
and with --cross prints how the model does in three-fold cross-validation over whole lines, so that no variant of a line is on
both sides.
"""
import importlib.util
import itertools
import json
import pathlib
import random
import re
import struct
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
spec = importlib.util.spec_from_file_location("intents", HERE.parent / "intents/train.py")
intents = importlib.util.module_from_spec(spec)
spec.loader.exec_module(intents)
# A line is read in at most this many of its variants.
VARIANTS = 16
# Statements are many and alike.
MOST_STATEMENTS = 2500
# The share of questions that are read without their mark, too.
BARE = 0.3
# How much more often than a list's question these come.
OFTEN = {"tells": 6.0, "asks": 3.0}


def variants(line, dice):
    parts = re.split(r"(\{[^}]*\})", line)
    choices = [part[1:-1].split("|") if part.startswith("{") else [part] for part in parts]
    every = ["".join(chosen) for chosen in itertools.islice(itertools.product(*choices), 20000)]
    return every if len(every) <= VARIANTS else dice.sample(every, VARIANTS)


def rows():
    dice = random.Random(1)
    found, label = [], None
    for number, line in enumerate(intents.lines(HERE / "questions.txt")):
        if line.startswith("#"):
            continue
        if line.startswith("= "):
            label = line[2:].strip()
            continue
        texts = [text.strip() for text in variants(line, dice)]
        # Many leave the mark out.
        texts += [text.rstrip("?？ ") for text in texts if text[-1:] in "?？" and dice.random() < BARE]
        found += [(text, label, "line %d" % number) for text in texts]
    for number, line in enumerate(intents.lines(HERE.parent / "intents/train.jsonl")):
        row = json.loads(line)
        # A question of small talk asks as well, only for nothing that is remembered.
        asks = row["label"] in ("memory", "world") or re.search("[?？]", row["text"])
        found.append((row["text"], "asks" if asks else "tells", "intent %d" % number))
    told = []
    for path in sorted((HERE.parent / "extraction").glob("author-*.jsonl")):
        for line in intents.lines(path):
            row = json.loads(line)
            told += [expected["quote"] for expected in row["expect"] if not re.search("[?？]", expected.get("quote", "?"))]
            if not row["expect"] and re.search("[?？]$", row["user"]):
                found.append((row["user"], "asks", row["id"]))
    found += [(text, "tells", "told %d" % n) for n, text in enumerate(dice.sample(told, MOST_STATEMENTS))]
    return found


def main():
    found = rows()
    labels = sorted({label for _, label, _ in found})
    features = intents.matrix([text for text, _, _ in found])
    wanted = np.array([labels.index(label) for _, label, _ in found])
    groups = np.array([group for _, _, group in found])
    # Lists count the same, however many lines they have; what merely tells or asks is far more frequent in a chat.
    count = np.bincount(wanted)
    weight = {n: OFTEN.get(label, 1.0) * len(found) / len(labels) / count[n] for n, label in enumerate(labels)}
    model = LogisticRegression(C=20, max_iter=2000, class_weight=weight)
    crossed = np.zeros(len(found), dtype=int)
    if "--cross" in sys.argv:
        for train, test in GroupKFold(3).split(features, wanted, groups):
            crossed[test] = model.fit(features[train], wanted[train]).predict(features[test])
    model.fit(features, wanted)
    scale = float(np.abs(model.coef_).max() / 127)
    weights = np.round(model.coef_ / scale).astype(np.int8)
    out = ROOT / "crates/text/src/intent/wanted.bin"
    out.parent.mkdir(exist_ok=True)
    # Bucket by bucket, so that one look reads the weights of all labels.
    out.write_bytes(struct.pack(f"<f{len(labels)}f", scale, *model.intercept_) + weights.T.tobytes())
    print("labels in order:", " ".join(labels))
    for index, label in enumerate(labels) if "--cross" in sys.argv else []:
        mine, said = wanted == index, crossed == index
        print(f"{label:<12} {mine.sum():>5}  recall {said[mine].mean():.3f}  precision {mine[said].mean():.3f}")
    for text in ("What are my goals?", "我住在哪里?"):
        score = (intents.matrix([text]) @ (weights.T.astype(float) * scale) + model.intercept_)[0]
        odds = np.exp(score - score.max())
        print(text, labels[int(score.argmax())], round(float(odds.max() / odds.sum()), 4))
    return model, labels


if __name__ == "__main__":
    main()
