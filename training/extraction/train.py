"""Trains the tagger that finds what a message tells about the person who wrote it.

    pip install numpy scikit-learn python-crfsuite
    python3 training/extraction/train.py             # trains on all authors, writes crates/text/src/extract/tagger.bin
    python3 training/extraction/train.py --check a   # trains on the other authors and grades on author-a.jsonl
    python3 training/extraction/train.py --grade     # trains on all authors and grades on heldout.jsonl

The model is a linear-chain CRF over words (single characters in Chinese and Japanese): each word lies outside of any
memory, or begins or continues one of a kind. Words are also known by their cluster in the built-in embedder's table.
`tokens`, `features` and `bucket` must stay equal to their namesakes in crates/text/src/extract/tagger.rs: a test there
compares buckets that this script prints.
"""
import argparse
import json
import pathlib
import random
import struct
import tempfile

import numpy as np
import pycrfsuite
import sklearn.cluster

from words import ENDS, OWN, fnv, groups, is_ideographic, norm, shape, stem, table, tokens

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
KINDS = ["fact", "preference", "goal", "date"]
LABELS = ["O"] + [f"{place}-{kind}" for kind in KINDS for place in "BI"]
BUCKETS = 1 << 17
CLUSTERS = (64, 512)
# What a word loses in score for lying outside of any memory. Chosen so that short plain statements are found; the least
# probability in crates/text/src/extract/mod.rs makes up for it.
EAGER = 0.6
# The share of words that are hidden in a second copy of each exchange, and the letter that stands for the rest of such a word.
HIDE = 0.2
HIDDEN = "ꙮ"
BREAKS = ENDS | set(",;:，；：、—–()（）")


def clusters():
    """The cluster of each word in the embedder's table, for each number of clusters."""
    pieces, vectors = table()
    found = []
    for number in CLUSTERS:
        means = sklearn.cluster.MiniBatchKMeans(number, random_state=1, batch_size=4096, n_init=3, max_iter=60)
        found.append(means.fit(vectors).labels_)
    return {piece: (int(few), int(many)) for piece, few, many in zip(pieces, *found)}


def grams(letters, longest):
    return [letters[i : i + n] for n in range(1, longest + 1) for i in range(len(letters) - n + 1)]


def opening(words, mark):
    """How a clause begins, and whether it is about the person."""
    found = [f"{mark}1 {words[0]}", f"{mark}o {int(any(w in OWN for w in words))}"]
    if len(words) > 1:
        found.append(f"{mark}2 {words[0]} {words[1]}")
    if len(words) > 2:
        found.append(f"{mark}3 {words[0]} {words[1]} {words[2]}")
    return found


def clause_features(words, known):
    found = opening(words, "c")
    found.append(f"cn {min(len(words), 12)}")
    if any(c.isdigit() for w in words for c in w):
        found.append("c0")
    if 2 * sum(is_ideographic(w[0]) for w in words) > len(words):
        letters = "".join(words)
        found += [f"cg {gram}" for gram in grams(letters, 3)]
        found += [f"ce {letters[-n:]}" for n in (2, 3)]
    else:
        found += [f"cw {w}" for w in words]
        found += [f"cb {a} {b}" for a, b in zip(words, words[1:])]
        found += [f"ck {known[stem(w)][1]}" for w in words if len(w) > 2 and stem(w) in known]
    return sorted(set(found))


def is_labelled(words):
    """Whether a line begins with somebody's name or a heading: one to four words and a colon."""
    at = next((at for at, word in enumerate(words[:5]) if word in (":", "：")), 0)
    return at > 0 and all(word[0].isalnum() for word in words[:at])


def message_features(words):
    """What each word knows of the whole message: whether it stands in quotation marks or after a colon, and whether its line
    is one of several that begin with a name."""
    lines = groups(words, {"\n"})
    heads = [is_labelled([words[at] for at in run]) for run in lines]
    found, quoted, after = [], False, False
    for run, head in zip(lines, heads):
        line = f"l{int(head)} {min(sum(heads), 3)}"
        for at in run:
            word = words[at]
            quoted = not quoted if word == '"' else (quoted or word in "“„«「『") and word not in "”»」』"
            own = [line]
            own += ["q"] if quoted else []
            own += ["a", f"a {words[0]}"] if after else []
            found.append(own)
            after = after or word in (":", "：")
    return found


def features(text, known):
    """The features of each token. Those of its clause and its sentence are shared by all of their words."""
    parts = [text[a:b] for a, b in tokens(text)]
    words = [norm(part) for part in parts]
    at_word = lambda at: words[at] if 0 <= at < len(words) else "#"
    found = []
    for at, (part, word) in enumerate(zip(parts, words)):
        own = ["b", f"w {word}", f"h {shape(part)}"]
        if not is_ideographic(word[0]):
            own += [f"p3 {word[:3]}", f"p4 {word[:4]}", f"x2 {word[-2:]}", f"x3 {word[-3:]}"]
        own += [f"w{d} {at_word(at + d)}" for d in (-3, -2, -1, 1, 2, 3)]
        own += [f"2- {at_word(at - 1)} {word}", f"2+ {word} {at_word(at + 1)}"]
        own += [f"3 {at_word(at - 1)} {word} {at_word(at + 1)}", f"3- {at_word(at - 2)} {at_word(at - 1)} {word}"]
        for d in (-2, -1, 0, 1, 2):
            if stem(at_word(at + d)) in known:
                few, many = known[stem(at_word(at + d))]
                own += [f"k{d} {many}", f"g{d} {few}"]
        found.append(own)
    clauses = groups(words, BREAKS)
    openings = [opening([words[at] for at in run], "") for run in clauses]
    for number, run in enumerate(clauses):
        shared = clause_features([words[at] for at in run], known)
        if number > 0:
            shared += [f"<{f}" for f in openings[number - 1][:3]]
        if number + 1 < len(clauses):
            shared += [f">{f}" for f in openings[number + 1][:3]]
        for at in run:
            found[at] += shared
    sentences = groups(words, ENDS)
    for number, run in enumerate(sentences):
        shared = opening([words[at] for at in run], "s")[:3]
        shared.append(f"s? {int(words[run[-1]] in '?？')}")
        shared.append(f"s# {min(number, 3)} {int(number + 1 == len(sentences))}")
        for at in run:
            found[at] += shared
    return [own + of_message for own, of_message in zip(found, message_features(words))]


def bucket(feature):
    return fnv(feature) % BUCKETS


def hashed(text, known):
    return [[str(bucket(f)) for f in of_token if HIDDEN not in f] for of_token in features(text, known)]


def with_hidden_words(text, chance):
    """The text with some of its words made unreadable, so that the model learns from what stands around them: people will
    name places and things that no author here did."""
    found, end = [], 0
    for a, b in tokens(text):
        word = text[a:b]
        hides = len(word) > 2 and word.isalpha() and word.lower() not in OWN and chance.random() < HIDE
        found.append(text[end:a] + (word[0] + 4 * HIDDEN if hides else word))
        end = b
    return "".join(found) + text[end:]


def labels(row):
    places = tokens(row["user"])
    found = ["O"] * len(places)
    for expected in row["expect"]:
        start = row["user"].find(expected["quote"])
        end, place = start + len(expected["quote"]), "B"
        for at, (a, b) in enumerate(places):
            if start <= a and b <= end and found[at] == "O":
                found[at], place = f"{place}-{expected['kind']}", "I"
    return found


def alone(rows, chance):
    """Each statement as a message of its own, and so each sentence of messages that tell nothing: people are often brief.
    Both end with a mark or without one, or the mark would tell them apart."""
    for row in rows:
        for expected in row["expect"]:
            for ending in chance.sample(["", ".", "!"], 2):
                yield {"user": expected["quote"] + ending, "expect": [expected]}
        parts = groups(row["user"], ENDS) if not row["expect"] else []
        for part in parts if len(parts) > 1 else []:
            sentence = row["user"][part[0] : part[-1] + 1].strip()
            yield {"user": sentence.rstrip(chance.choice(["", ".!"])), "expect": []}


def train(rows, known, path):
    trainer = pycrfsuite.Trainer(verbose=False)
    chance = random.Random(1)
    for row in rows:
        trainer.append(hashed(row["user"], known), labels(row))
        trainer.append(hashed(with_hidden_words(row["user"], chance), known), labels(row))
    for row in alone(rows, chance):
        if row["user"].strip():
            trainer.append(hashed(row["user"], known), labels(row))
    trainer.set_params({"c1": 0.1, "c2": 0.1, "max_iterations": 80, "feature.possible_transitions": True})
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return tagger


def write(tagger, known, path):
    info = tagger.info()
    weights = np.zeros((BUCKETS, len(LABELS)))
    for (feature, label), weight in info.state_features.items():
        weights[int(feature), LABELS.index(label)] = weight
    steps = np.zeros((len(LABELS), len(LABELS)))
    for (before, after), weight in info.transitions.items():
        steps[LABELS.index(before), LABELS.index(after)] = weight
    weights[bucket("b"), LABELS.index("O")] -= EAGER
    scale = float(np.abs(weights).max() / 127)
    words = sorted((fnv(word), few, many) for word, (few, many) in known.items())
    path.write_bytes(
        struct.pack("<fI", scale, len(words))
        + steps.astype("<f4").tobytes()
        + b"".join(struct.pack("<IHH", *word) for word in words)
        + np.round(weights / scale).astype(np.int8).tobytes()
    )


def read(name):
    return [json.loads(line) for line in (HERE / name).read_text().splitlines() if line.strip()]


def spans(tagger, text, known):
    """The kind, the text and the mean probability of each span."""
    places, found = tokens(text), []
    tags = tagger.tag(hashed(text, known)) if places else []
    for at, tag in enumerate(tags):
        continues = found and tag == "I-" + found[-1][0] and found[-1][2] == at
        if continues:
            found[-1][2] = at + 1
        elif tag != "O":
            found.append([tag[2:], at, at + 1])
    for kind, start, end in found:
        sure = sum(tagger.marginal(f"{p}-{kind}", at) for at in range(start, end) for p in "BI") / (end - start)
        yield kind, text[places[start][0] : places[end - 1][1]], sure


def grade(tagger, rows, known, least):
    """Precision and recall of the bare spans. `eval --dataset extraction` grades what the program makes of them."""
    kept = right = expected = found = 0
    for row in rows:
        said = [span for span in spans(tagger, row["user"], known) if span[2] >= least]
        meets = lambda it, span: it["kind"] == span[0] and all(m.lower() in span[1].lower() for m in it["must"])
        kept += len(said)
        right += sum(any(meets(it, span) for it in row["expect"]) for span in said)
        expected += len(row["expect"])
        found += sum(any(meets(it, span) for span in said) for it in row["expect"])
    print(f"at {least:.1f}: {kept} spans, precision {right / max(kept, 1):.3f}, recall {found / expected:.3f}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", metavar="AUTHOR", help="leave an author out and grade on their exchanges")
    options.add_argument("--grade", action="store_true", help="grade on the held-out exchanges, too")
    options = options.parse_args()
    known = clusters()
    authors = sorted(path.stem.removeprefix("author-") for path in HERE.glob("author-*.jsonl"))
    rows = [row for author in authors if author != options.check for row in read(f"author-{author}.jsonl")]
    with tempfile.TemporaryDirectory() as folder:
        tagger = train(rows, known, f"{folder}/model")
        graded = [f"author-{options.check}.jsonl"] if options.check else []
        graded += [path.name for path in HERE.glob("heldout*.jsonl")] if options.grade else []
        for name in graded:
            print(name)
            for least in (0.0, 0.5, 0.7, 0.9):
                grade(tagger, read(name), known, least)
        if not options.check:
            path = ROOT / "crates/text/src/extract/tagger.bin"
            write(tagger, known, path)
            print(f"{path.name}: {path.stat().st_size} bytes from {len(rows)} exchanges")
        for text in ("I'm Ana, 34.\nWhere's my 2nd key?", "我住在上海，三月五日考试。"):
            first = hashed(text, known)[0]
            print(repr(text), len(tokens(text)), sorted(map(int, first))[:6])
            print([(kind, span, round(sure, 3)) for kind, span, sure in spans(tagger, text, known)])


if __name__ == "__main__":
    main()
