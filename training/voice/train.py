"""Trains the classifier that tells whether a statement found in a message is the person's own.

    pip install numpy scikit-learn python-crfsuite
    python3 training/voice/train.py           # trains on everything, writes crates/text/src/extract/voice.bin
    python3 training/voice/train.py --check   # leaves kinds-2.txt and authors o and p out and grades on them; writes nothing

The model is a logistic regression over hashed features of a statement's surroundings: what stands before it in its sentence
and before a colon, the first and the last sentence of the message, and the line and block it is in. In the text files, ⟦…⟧ marks
what is not the person's own and ⟪f:…⟫ a statement that should be learned (fact, preference, goal, date). Copies of these messages
hold statements of ../extraction in the same places. `features` and `bucket` must stay equal to their namesakes in
crates/text/src/extract/voice.rs: a test there compares buckets that this script prints.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import struct
import sys

import numpy as np
import scipy.sparse
import sklearn.linear_model

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "extraction"))
import layouts
from train import BREAKS, OWN, ROOT, fnv, groups, norm, stem, tokens

BUCKETS = 1 << 16
# Kinds of messages in which the sentence itself tells that it states nothing: it keeps its words.
WHOLE = set("order negated hypo question reported dictate dictated dictation roleplay template log code survey quiz".split())
# How often a message of each of the text files is used: once as it is.
COPIES = 8
# The number of messages that are laid out, and of those that hold nothing but statements of the person's own.
LAYOUTS = 7500
TALKS = 400
# The number of messages that say something around a few statements.
CHATS = 3000
# The inverse strength of regularization.
LOOSE = 0.1
# The weight of a statement of the person's own.
OWN_WEIGHT = 2.0
# A feature of fewer candidates tells of topics.
FEWEST = 5
# The words that one sentence knows another by.
FRAME = 10
ENDS = set(".!?。！？\n")
COLONS = set(":：")


def clusters():
    """The cluster of each word as the tagger has it, by the hash of the word."""
    data = (ROOT / "crates/text/src/extract/tagger.bin").read_bytes()
    count = struct.unpack_from("<I", data, 4)[0]
    words = struct.iter_unpack("<IHH", data[8 + 4 * 81 : 8 + 4 * 81 + 8 * count])
    return {word: many for word, _, many in words}


known = clusters()


def bag(mark, words):
    """Words, their clusters, and pairs of neighbors."""
    of = [known[fnv(stem(w))] for w in words if len(w) > 2 and fnv(stem(w)) in known]
    return [f"{mark} {w}" for w in words] + [f"{mark}k {k}" for k in of] + [f"{mark} {a} {b}" for a, b in zip(words, words[1:])]


def features(text, span):
    """The features of the statement between these characters."""
    places = tokens(text)
    words = [norm(text[a:b]) for a, b in places]
    start = next((n for n, (a, b) in enumerate(places) if b > span[0]), len(words))
    end = max(next((n for n, (a, b) in enumerate(places) if a >= span[1]), len(words)), start + 1)
    sentences = [run for run in groups(words, ENDS) if any(words[at] != "\n" for at in run)]
    if start >= len(words) or not sentences:
        return ["b"]
    number = next((n for n, run in enumerate(sentences) if run[-1] >= start), len(sentences) - 1)
    opens, closes = sentences[number][0], sentences[number][-1] + 1
    found = ["b", f"n {min(len(sentences), 5)}", f"at {min(number, 3)} {int(number + 1 == len(sentences))}"]
    before, mark = words[opens:start], words[closes - 1]
    found += bag("p", before[-FRAME:]) + [f"p1 {w}" for w in before[-1:]] + [f"pn {min(len(before), 4)}"]
    found += bag("s", words[opens:closes][:3]) + bag("x", words[end:closes][:4]) + [f"e {'' if mark[0].isalnum() else mark}"]
    found += bag("i", words[start:end][:5]) + [f"w {w}" for w in words[start:end][5:]]
    return found + of_announcement(words, start) + of_layout(words, start) + of_neighbors(words, sentences, number)


def of_announcement(words, start):
    """What stands before the last colon."""
    colon = next((at for at in range(start - 1, -1, -1) if words[at] in COLONS), None)
    if colon is None:
        return []
    mark = "c" if "\n" in words[colon:start] else "a"
    head = colon
    while head > 0 and colon - head < FRAME and words[head - 1] not in ENDS | COLONS:
        head -= 1
    return [mark, f"{mark}n {min(sum(w in ENDS for w in words[colon:start]), 3)}"] + bag(mark, words[head:colon])


def label_of(line):
    """The few words before a colon that a line begins with, perhaps after a stamp."""
    first = next((at for at, word in enumerate(line[:16]) if word[0].isalpha()), 0)
    end = next((at for at in range(first, min(first + 7, len(line))) if line[at] in COLONS), first)
    return line[first:end]


def of_layout(words, start):
    """The line, and the block that blank lines part from others."""
    runs = groups(words, {"\n"})
    at = next(n for n, run in enumerate(runs) if run[-1] >= start)
    lines = [[words[at] for at in run if words[at] != "\n"] for run in runs]
    labels = [label_of(line) for line in lines]
    found = [f"l {int(bool(labels[at]))} {min(sum(map(bool, labels)), 3)}"]
    found += bag("L", labels[at]) + [f"m {w}" for w in lines[at] if not w[0].isalnum()]
    first = next((n + 1 for n in range(at - 1, -1, -1) if not lines[n]), 0)
    last = next((n - 1 for n in range(at + 1, len(lines)) if not lines[n]), len(lines) - 1)
    blank = lambda part: min(sum(not line for line in part), 2)
    found.append(f"B {blank(lines[:first])} {blank(lines[last + 1:])} {min(last - first, 3)}")
    if len(lines) > 1:
        found += [f"Bf {w}" for w in lines[first][:2]] + [f"Bl {w}" for w in lines[last][:2]]
    return found


def of_neighbors(words, sentences, number):
    """The first, the previous, the next and the last sentence."""
    found, said = [], lambda n: [words[at] for at in sentences[n] if words[at] != "\n"]
    if number > 0:
        gap = lambda n: min(words[sentences[n][-1] : sentences[number][0]].count("\n"), 2)
        first, previous = said(0)[:FRAME], said(number - 1)
        found += bag("F", first) + bag(f"F{gap(0)}{min(number, 2)}", first)
        found += bag("P", previous[:FRAME]) + bag(f"P{gap(number - 1)}", previous[-FRAME:]) + [f"Pe {previous[-1]}"]
    if number + 1 < len(sentences):
        found += bag("T", said(-1)[:FRAME]) + bag("N", said(number + 1)[:4])
    return found


def bucket(feature):
    return fnv(feature) % BUCKETS


def messages(name):
    for block in (HERE / name).read_text().split("== ")[1:]:
        head, marked = block.split("\n", 1)
        kind, lang = head.split()
        yield kind, lang, re.split(r"(⟦|⟧|⟪\w:|⟫)", marked.strip("\n"))


def read(marked, fill=lambda part, kind: part):
    """The text without marks, its foreign ranges, and its statements."""
    text, foreign, stated, opened = "", [], [], None
    for part in marked:
        if part in ("⟦", "⟧", "⟫") or part.startswith("⟪"):
            opened = part if part not in ("⟧", "⟫") else None
            continue
        part = fill(part, opened[1:2] or "⟦") if opened else part
        (foreign if opened == "⟦" else stated if opened else []).append((len(text), len(text) + len(part)))
        text += part
    return text, foreign, stated


def claims(text, start, end, chance):
    """What a tagger may find in a stretch of a stranger's words: each sentence from its first word about a person, or whole, up to
    its end or that of a clause."""
    places = [(a, b) for a, b in tokens(text) if start <= a and b <= end]
    words = [norm(text[a:b]) for a, b in places]
    for run in groups(words, ENDS):
        colon = next((at for at in run if words[at] in COLONS), None)
        if colon is not None and any(words[at][0].isalnum() for at in run if at > colon):
            run = [at for at in run if at > colon]
        while run and not words[run[-1]][0].isalnum():
            run = run[:-1]
        while run and not words[run[0]][0].isalnum():
            run = run[1:]
        if not run:
            continue
        own = next((at for at in run if words[at] in OWN), run[0])
        for first in {run[0], own}:
            breaks = [at for at in run if at > first + 2 and words[at] in BREAKS]
            last = breaks[0] - 1 if breaks and chance.random() < 0.5 else run[-1]
            yield places[first][0], places[last][1]


def exchanges(authors):
    for author in authors:
        for line in (HERE.parent / f"extraction/author-{author}.jsonl").read_text().splitlines():
            yield json.loads(line)


def of_files(names, rows, chance, copies):
    """Statements of the messages with words of others, each message as it is and with other statements in the same places."""
    by = collections.defaultdict(list)
    for row in rows:
        for it in row["expect"]:
            for kind in (it["kind"][0], "⟦"):
                by[row["lang"][:2], kind].append(it["quote"].strip(" .!。"))

    def refilled(line, lang, filled):
        label, rest = (re.match(r"(.{0,40}?(?::|：|\]|>| -|–)\s*)(.*)", line) or re.match("()(.*)", line)).groups()
        is_own = any(norm(rest[a:b]) in OWN for a, b in tokens(rest))
        if not rest.strip() or not (is_own or chance.random() < 0.3):
            return line
        said = chance.sample(by[lang, "⟦"], chance.choice([1, 1, 2]))
        filled.extend(said)
        return label + ("。" if lang in ("ja", "zh") else ". ").join(said) + chance.choice(["", ".", "!"])

    for name in names:
        for kind, lang, marked in messages(name):
            for copy in range(copies if (lang, "⟦") in by else 1):

                def fill(part, of):
                    if copy == 0 or of == "⟦" and kind in WHOLE:
                        return part
                    return "\n".join(refilled(line, lang, filled) for line in part.split("\n")) if of == "⟦" else chance.choice(by[lang, of])

                filled = []
                text, foreign, stated = read(marked, fill)
                for part in [] if filled else foreign:
                    yield from ((text, span, 1) for span in claims(text, *part, chance))
                for quote in filled:
                    at = next((a + text[a:b].find(quote) for a, b in foreign if quote in text[a:b]), None)
                    if at is not None:
                        yield text, (at, at + len(quote)), 1
                yield from ((text, span, 0) for span in stated)


def of_exchanges(rows, chance):
    for row in rows:
        text = row["user"]
        for it in row["expect"]:
            at = text.find(it["quote"])
            yield text, (at, at + len(it["quote"])), 0
            alone = it["quote"] + chance.choice(["", ".", "!"])
            yield alone, (0, len(it["quote"])), 0
        if row["forbid"] and not row["expect"]:
            yield from ((text, span, 1) for span in claims(text, 0, len(text), chance))


def of_layouts(rows, chance, count):
    """Statements laid out as people paste them, and in sentences that report, dictate, play or order, half of them beside words of
    the person's own."""
    by = collections.defaultdict(list)
    for row in rows:
        if row["expect"] and not row["forbid"] and "\n" not in row["user"] and '"' not in row["user"]:
            by[row["lang"][:2]].append(row)
    for number in range(count):
        lang = chance.choices(list(layouts.NAMES), [6, 2, 2, 2, 2, 2])[0]
        beside = chance.choice(by[lang]) if chance.random() < 0.5 else None
        said = [chance.choice(row["expect"])["quote"].strip(" .!。") for row in chance.sample(by[lang], chance.choice([1, 1, 2, 3]))]
        kind = "pasted" if number % 3 == 0 else chance.choice([*layouts.PATTERNS[lang], "own", "own"])
        if kind == "pasted":
            marked = layouts.message(chance, lang, said, beside and beside["user"])
        else:
            said = said[:1]
            both = [layouts.sentence(chance, lang, kind, said[0])] + ([beside["user"]] if beside else [])
            chance.shuffle(both)
            marked = chance.choice(["。", "\n"] if lang in ("ja", "zh") else [". ", "\n", "\n\n", "! ", "? "]).join(both)
        text, foreign, _ = read(re.split("(⟦|⟧)", marked))
        for quote in said:
            at = text.lower().find(quote.lower())
            if at >= 0:
                yield text, (at, at + len(quote)), int(kind != "own")
        for part in foreign if kind not in ("pasted", "own") else []:
            yield from ((text, span, 1) for span in claims(text, *part, chance))
        for it in beside["expect"] if beside else []:
            if text.count(it["quote"]) == 1:
                at = text.find(it["quote"])
                yield text, (at, at + len(it["quote"])), 0


def of_talk(rows, chance, count):
    """Messages of many statements, all of the person's own."""
    by = collections.defaultdict(list)
    for row in rows:
        by[row["lang"][:2]] += [it["quote"].strip(" .!。") for it in row["expect"]]
    for _ in range(count):
        lang = chance.choice(sorted(by))
        between = chance.choice(["。", "\n"] if lang in ("ja", "zh") else [". ", "\n", ", and ", "! "])
        said = chance.sample(by[lang], chance.choice([2, 2, 3, 3, 4, 6, 10, 30]))
        text = between.join(said)
        for quote in said[:6] + said[-1:]:
            at = text.find(quote)
            yield text, (at, at + len(quote)), 0


def of_chat(rows, chance, count):
    """A few statements of the person's own between a greeting, thanks or a remark and a question, as people talk."""
    by = collections.defaultdict(list)
    for row in rows:
        by[row["lang"][:2]] += [it["quote"].strip(" .!。") for it in row["expect"]]
    for _ in range(count):
        lang = chance.choices(list(layouts.AROUND), [6, 2, 2, 2, 2, 2])[0]
        before, after = layouts.AROUND[lang]
        is_cjk = lang in ("ja", "zh")
        said = [quote if is_cjk else quote[:1].upper() + quote[1:] for quote in chance.sample(by[lang], chance.choice([1, 1, 2, 2, 3]))]
        opening = [chance.choice(before)] if chance.random() < 0.8 else []
        closing = [chance.choice(after)] if chance.random() < 0.4 else []
        mark = chance.choice(["。", "！", "、"] if is_cjk else [". ", ". ", "! ", ", ", "\n"])
        text = "".join(it + mark for it in opening) + ("。" if is_cjk else ". ").join(said)
        text += (chance.choice(["", "。"]) if is_cjk else chance.choice(["", ".", ".", "!"])) if not closing else ("。" if is_cjk else ". ") + closing[0]
        for quote in said:
            at = text.find(quote)
            yield text, (at, at + len(quote)), 0


def matrix(found):
    rows, columns = [], []
    for n, (text, span, _) in enumerate(found):
        of = {bucket(f) for f in features(text, span)}
        rows += [n] * len(of)
        columns += of
    return scipy.sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), (len(found), BUCKETS))


def train(found):
    x, y = matrix(found), np.array([label for *_, label in found])
    x = x @ scipy.sparse.diags((np.asarray((x > 0).sum(0)).ravel() >= FEWEST).astype(np.float32))
    model = sklearn.linear_model.LogisticRegression(C=LOOSE, solver="liblinear", max_iter=300, class_weight={0: OWN_WEIGHT, 1: 1.0})
    return model.fit(x, y)


def grade(model, found, name):
    score = model.decision_function(matrix(found))
    label = np.array([label for *_, label in found])
    for least in (0.0, 0.5, 1.0, 1.5, 2.0):
        print(f"{name} at {least}: {np.mean(score[label == 1] > least):.3f} of {sum(label)} foreign found, "
              f"{np.mean(score[label == 0] > least):.3f} of {sum(label == 0)} own taken")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true", help="leave some out and grade on them")
    options = options.parse_args()
    chance = random.Random(1)
    names = ["hand-1.txt", "hand-2.txt", "hand-3.txt", "kinds-1.txt"] + ([] if options.check else ["kinds-2.txt"])
    rows = list(exchanges("abcdefghijklmn" if options.check else "abcdefghijklmnop"))
    found = [*of_files(names, rows, chance, COPIES), *of_exchanges(rows, chance), *of_talk(rows, chance, TALKS)]
    found += [*of_layouts(rows, chance, LAYOUTS), *of_chat(rows, chance, CHATS)]
    model = train(found)
    print(len(found), "candidates,", sum(label for *_, label in found), "foreign")
    if options.check:
        left = list(exchanges("op"))
        grade(model, list(of_files(["kinds-2.txt"], left, chance, 1)), "kinds-2.txt")
        grade(model, list(of_exchanges(left, chance)), "authors o and p")
        return
    weights = model.coef_[0]
    weights[bucket("b")] += model.intercept_[0]
    scale = float(np.abs(weights).max() / 127)
    path = ROOT / "crates/text/src/extract/voice.bin"
    path.write_bytes(struct.pack("<f", scale) + np.round(weights / scale).astype(np.int8).tobytes())
    print(path.name, path.stat().st_size, "bytes,", int((np.abs(weights) > scale / 2).sum()), "weights")
    for text, part in CHECKED:
        at = text.find(part)
        of = features(text, (at, at + len(part)))
        print(repr(text), len({bucket(f) for f in of}), sorted({bucket(f) for f in of})[:8])


# What the test compares.
CHECKED = [("Got this, reply?\n\nTom, [04.05.26 9:12]: I live in Rome: yes\nMore?", "I live in Rome"), ("翻译：我住在上海。谢谢", "我住在上海")]

if __name__ == "__main__":
    main()
