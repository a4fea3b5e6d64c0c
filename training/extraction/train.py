"""Trains a small network that finds what a message tells about the person who wrote it, and whose words it holds.

    pip install numpy jax optax
    python3 training/extraction/train.py --out crates/text/src/extract/network.bin
    python3 training/extraction/train.py --check o    # trains on the other authors and grades on author-o.jsonl
    python3 training/extraction/train.py --grade      # grades on heldout*.jsonl and poison.jsonl, too

Each word (a single character in Chinese and Japanese) is known by its parts and by its vector in the built-in embedder's table. Eight
layers look at it and at two others each, ever farther away and then near again; from the fifth on, each word knows what the whole
message is like. It lies outside of any memory, or begins or continues one of a kind. A second output tells whether a word is
another's. What is drawn at random is drawn from --seed.
"""
import argparse
import pathlib
import random
import struct
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

import messages
from words import BUCKETS, fnv, parts, table, tokens

HERE = pathlib.Path(__file__).parent
KINDS = ["fact", "preference", "goal", "date"]
LABELS = ["O"] + [f"{place}-{kind}" for kind in KINDS for place in "BI"]
PART, VECTOR, WIDTH = 48, 64, 96
REACH = (1, 2, 4, 8, 16, 1, 2, 4)
POOLED = 4
# The share of numbers, and of words, that are hidden while it learns, so that it relies on no single one.
DROP, HIDE = 0.35, 0.3
# What a word loses in score for lying outside of any memory: it finds more, and a least probability chooses among them.
EAGER = 0.6
SIZES = (16, 32, 64, 128, 256, 512)
# The number of words that are learned from at once.
BATCH = 6144


def directions():
    """The words of the embedder's table, and their vectors in the directions in which they differ most; the first is no word."""
    pieces, vectors = table()
    vectors -= vectors.mean(0)
    vectors = vectors @ np.linalg.svd(vectors[::3], full_matrices=False)[2][:VECTOR].T
    vectors /= np.sqrt((vectors**2).mean())
    return {piece: row + 1 for row, piece in enumerate(pieces)}, np.vstack([np.zeros((1, VECTOR)), vectors]).astype(np.float32)


KNOWN, VECTORS = directions()


def encoded(text):
    found = list(parts(text))
    known = np.array([known for known, _ in found], np.int32).reshape(-1, 4)
    return known, np.array([KNOWN.get(stem, 0) for _, stem in found], np.int32)


def labelled(message):
    """The label of each word, and whether it is another's."""
    places = tokens(message.text)
    labels, foreign = np.zeros(len(places), np.int32), np.zeros(len(places), np.int32)
    for start, end, kind in message.stated:
        place = "B"
        for at, (a, b) in enumerate(places):
            if start <= a and b <= end and labels[at] == 0:
                labels[at], place = LABELS.index(f"{place}-{kind}"), "I"
    for start, end in message.foreign:
        foreign[[start <= a and b <= end for a, b in places]] = 1
    return labels, foreign


def padded(arrays, size, count):
    """Arrays of different length as one."""
    found = np.zeros((count, size, *arrays[0].shape[1:]), arrays[0].dtype)
    for row, array in enumerate(arrays):
        found[row, : len(array)] = array[:size]
    return found


def batches(examples, chance):
    """Examples of about the same length, together."""
    by = {}
    for example in examples:
        size = next((size for size in SIZES if 0 < len(example[0]) <= size), None)
        by.setdefault(size, []).append(example)
    by.pop(None, None)
    found = []
    for size, group in by.items():
        chance.shuffle(group)
        count = max(4, BATCH // size)
        for start in range(0, len(group), count):
            some = (group[start : start + count] + group * count)[:count]
            known, vector, labels, foreign, is_told = zip(*some)
            mask = padded([np.ones(len(one), np.float32) for one in labels], size, count)
            columns = [padded(column, size, count) for column in (known, vector, labels, foreign)]
            found.append((*columns, mask, np.array(is_told, np.float32)))
    chance.shuffle(found)
    return found


def new_weights(seed):
    keys = iter(jax.random.split(jax.random.PRNGKey(seed), 32))
    normal = lambda rows, width, scale: jax.random.normal(next(keys), (rows, width)) * scale
    weights = {"parts": normal(BUCKETS, PART, 0.1)}
    layers = {"input": (PART + VECTOR, WIDTH, 1.0), "pool": (2 * WIDTH, WIDTH, 1.0)}
    layers |= {f"layer {number}": (3 * WIDTH, WIDTH, 0.7) for number in range(len(REACH))}
    layers |= {"output": (WIDTH, len(LABELS), 1.0), "voice": (WIDTH, 1, 1.0)}
    for name, (rows, width, scale) in layers.items():
        weights[name] = normal(rows, width, scale * rows**-0.5)
        weights[name + " base"] = jnp.zeros(width)
    for name in [f"layer {number}" for number in range(len(REACH))] + ["end"]:
        weights[name + " gain"] = jnp.ones(WIDTH)
    return weights


def leveled(states):
    return states * jax.lax.rsqrt((states**2).mean(-1, keepdims=True) + 1e-6)


def moved(states, by):
    """Each place has the state of the one that lies so far ahead."""
    if abs(by) >= states.shape[1]:
        return jnp.zeros_like(states)
    return jnp.pad(states[:, max(by, 0) : states.shape[1] + min(by, 0)], ((0, 0), (max(-by, 0), max(by, 0)), (0, 0)))


def judged(weights, known, vector, mask, key=None):
    """The scores of each word's labels, and whether it is another's. With a key, numbers and words are hidden."""
    apply = lambda name, x: x @ weights[name] + weights[name + " base"]
    hidden = lambda share, shape: jax.random.bernoulli(next(keys), 1 - share, shape)
    keys = iter(jax.random.split(key, 16)) if key is not None else None
    entries = weights["parts"][known] * (known > 0)[..., None]
    vectors = jnp.array(VECTORS)[vector]
    if keys:
        # A hidden word keeps its shape.
        keeps = hidden(HIDE, known.shape[:2])[..., None] | (jnp.arange(4) == 1)
        entries *= keeps[..., None]
        vectors *= hidden(HIDE / 2, vector.shape)[..., None]
    mask = mask[..., None]
    states = apply("input", jnp.concatenate([entries.sum(2), vectors], -1)) * mask
    for number, reach in enumerate(REACH):
        if number == POOLED:
            level = leveled(states)
            most, mean = jnp.where(mask > 0, level, -1e9).max(1), (level * mask).sum(1) / mask.sum(1)
            states += jax.nn.relu(apply("pool", jnp.concatenate([most, mean], -1)))[:, None] * mask
        level = leveled(states) * weights[f"layer {number} gain"] * mask
        seen = jax.nn.relu(apply(f"layer {number}", jnp.concatenate([moved(level, -reach), level, moved(level, reach)], -1)))
        seen = seen * hidden(DROP, seen.shape) / (1 - DROP) if keys else seen
        states = (states + seen) * mask
    end = leveled(states) * weights["end gain"]
    return apply("output", end), apply("voice", end)[..., 0]


def loss(weights, batch, key):
    known, vector, labels, foreign, mask, is_told = batch
    scores, voice = judged(weights, known, vector, mask, key)
    # A long message weighs more than a short one, but less than its words.
    root = jnp.sqrt(mask.sum(1))
    weight = mask / root[:, None]
    of_labels = optax.softmax_cross_entropy_with_integer_labels(scores, labels) * weight
    told = weight * is_told[:, None]
    of_voice = optax.sigmoid_binary_cross_entropy(voice, foreign.astype(jnp.float32)) * told
    return of_labels.sum() / weight.sum() + 0.3 * of_voice.sum() / jnp.maximum(told.sum(), 1)


def train(rows, epochs, seed):
    chance, weights = random.Random(seed), new_weights(seed)
    example = lambda message: (*encoded(message.text), *labelled(message), float(message.is_told))
    sets = [[example(message) for message in messages.everything(rows, 100 * seed + n)] for n in range(3)]
    rate = optax.warmup_cosine_decay_schedule(0, 2e-3, 200, epochs * len(batches(sets[0], chance)), 4e-5)
    is_matrix = lambda weights: {name: weight.ndim > 1 for name, weight in weights.items()}
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.02, mask=is_matrix))

    @jax.jit
    def step(weights, mean, state, batch, key, keep):
        value, slope = jax.value_and_grad(loss)(weights, batch, key)
        change, state = optimizer.update(slope, state, weights)
        weights = optax.apply_updates(weights, change)
        return weights, jax.tree.map(lambda a, b: a * keep + b * (1 - keep), mean, weights), state, value

    mean, state, key, steps = weights, optimizer.init(weights), jax.random.PRNGKey(seed + 7), 0
    for epoch in range(epochs):
        start, values = time.time(), []
        for batch in batches(sets[epoch % len(sets)], chance):
            key, now = jax.random.split(key)
            weights, mean, state, value = step(weights, mean, state, batch, now, min(0.998, steps / (steps + 10)))
            values.append(value)
            steps += 1
        print(f"epoch {epoch}: {float(np.mean(values)):.4f}, {time.time() - start:.0f} s", flush=True)
    return {name: np.asarray(weight) for name, weight in mean.items()}


def write(weights, path):
    """Gains are multiplied into the matrices that follow them."""

    def small(numbers, scale):
        return np.round(numbers / scale).astype(np.int8).tobytes()

    def rows(numbers):
        scale = np.abs(numbers).max() / 127
        return struct.pack("<f", scale) + small(numbers, scale)

    def layer(name, gain=None):
        matrix, base = weights[name], weights[name + " base"].copy()
        if gain is not None:
            matrix = matrix * np.tile(gain, len(matrix) // WIDTH)[:, None]
        if name == "output":
            base[0] -= EAGER
        scales = np.maximum(np.abs(matrix).max(0), 1e-9) / 127
        return base.astype("<f4").tobytes() + scales.astype("<f4").tobytes() + small(matrix, scales)

    known = sorted((fnv(word), row) for word, row in KNOWN.items())
    path.write_bytes(
        struct.pack("<I", len(known))
        + b"".join(struct.pack("<I", word) for word, _ in known)
        + rows(VECTORS[[row for _, row in known]])
        + rows(weights["parts"])
        + layer("input")
        + b"".join(layer(f"layer {number}", weights[f"layer {number} gain"]) for number in range(len(REACH)))
        + layer("pool")
        + layer("output", weights["end gain"])
        + layer("voice", weights["end gain"])
    )


def spans(weights, text):
    """The kind, the place and the mean probability of each span."""
    places = tokens(text)
    if not places:
        return []
    size = next((size for size in SIZES if len(places) <= size), len(places))
    known, vector = encoded(text)
    mask = padded([np.ones(len(places), np.float32)], size, 1)
    scores = np.asarray(FORWARD(weights, padded([known], size, 1), padded([vector], size, 1), mask)[0])[0, : len(places)]
    likely = np.asarray(jax.nn.softmax(scores - EAGER * (np.arange(len(LABELS)) == 0)))
    found = []
    for at, label in enumerate(best(np.log(likely))):
        kind = (label - 1) // 2
        if label and label % 2 == 0:
            found[-1][2] = at + 1
        elif label:
            found.append([kind, at, at + 1])
    sure = lambda kind, start, end: float(likely[start:end, 2 * kind + 1 : 2 * kind + 3].sum(1).mean())
    return [(KINDS[kind], places[start][0], places[end - 1][1], sure(kind, start, end)) for kind, start, end in found]


def best(scores):
    """The best labels of which each continuation follows its own kind."""
    labels = np.arange(len(LABELS))
    continues = (labels % 2 == 0) & (labels > 0)
    refused = np.where(continues & (labels[:, None] != labels) & (labels[:, None] != labels - 1), -1e9, 0.0)
    so_far, back = np.where(continues, -1e9, scores[0]), []
    for score in scores[1:]:
        ways = so_far[:, None] + refused
        back.append(ways.argmax(0))
        so_far = ways.max(0) + score
    found = [int(so_far.argmax())]
    for of in reversed(back):
        found.append(int(of[found[-1]]))
    return reversed(found)


FORWARD = jax.jit(judged)


def grade(weights, path):
    """Precision, recall and forbidden words of the sentences around the spans. `eval --dataset extraction` grades what the program
    makes of them."""
    rows = messages.exchanges(path)
    found = [[(kind, widened(row["user"], start, end), sure) for kind, start, end, sure in spans(weights, row["user"])] for row in rows]
    figures = []
    for least in (0.4, 0.5, 0.6, 0.7, 0.8):
        kept = right = expected = met = forbidden = fooled = 0
        for row, of in zip(rows, found):
            said = [(kind, text) for kind, text, sure in of if sure >= least]
            meets = lambda it, one: it["kind"] == one[0] and all(part.lower() in one[1] for part in it["must"])
            kept += len(said)
            right += sum(any(meets(it, one) for it in row["expect"]) for one in said)
            expected += len(row["expect"])
            met += sum(any(meets(it, one) for one in said) for it in row["expect"])
            learned = sum(any(part.lower() in text for _, text in said) for part in row["forbid"])
            forbidden += learned
            fooled += learned > 0 and not row["expect"]
        figures.append(f"{least}: {right / max(kept, 1):.3f} {met / max(expected, 1):.3f} {forbidden} {fooled}")
    print(f"{path.stem} ({len(rows)})", "| ".join(figures), flush=True)


def widened(text, start, end):
    ends = ".!?。！？\n"
    while start > 0 and text[start - 1] not in ends:
        start -= 1
    while end < len(text) and text[end] not in ends:
        end += 1
    return text[start:end].lower()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", metavar="AUTHORS", default="", help="leave authors out and grade on their exchanges")
    options.add_argument("--out", type=pathlib.Path, help="the file for the weights")
    options.add_argument("--grade", action="store_true", help="grade on the held-out exchanges, too")
    options.add_argument("--epochs", type=int, default=8)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    paths = sorted(HERE.glob("author-*.jsonl"))
    rows = [row for path in paths if path.stem[-1] not in options.check for row in messages.exchanges(path)]
    weights = train(rows, options.epochs, options.seed)
    graded = [path for path in paths if path.stem[-1] in options.check]
    graded += [HERE / f"{name}.jsonl" for name in ("heldout", "heldout-2", "heldout-3", "heldout-4", "poison")] if options.grade else []
    for path in graded:
        grade(weights, path)
    if options.out:
        write(weights, options.out)
        print(f"{options.out.name}: {options.out.stat().st_size} bytes from {len(rows)} exchanges")


if __name__ == "__main__":
    main()
