"""Splits messages into words, and says what each is known by."""
import functools
import pathlib
import struct
import unicodedata

import numpy as np

ROOT = pathlib.Path(__file__).parent.parent.parent

BUCKETS = 1 << 15
# Words by which people speak of themselves.
OWN = set(
    "i im ive my me mine we our us ich mein meine meinen meiner meinem wir unser unsere mir mich "
    "yo mi mis me nos nuestro nuestra je j'ai j'en j' mon ma mes nous notre nos moi 我 私 僕 俺".split()
)
ENDS = set(".!?。！？\n")


def is_ideographic(c):
    """A character of a script that sets no spaces between words."""
    ranges = ("\u3040\u30ff", "\u31f0\u31ff", "\u3400\u4dbf", "\u4e00\u9fff", "\uf900\ufaff", "\uff66\uff9f")
    return any(first <= c <= last for first, last in ranges)


def tokens(text):
    """Words, single ideographs and kana, single marks and line ends, with where they stand. A short form such as "I'm" is two
    words; other apostrophes stay within theirs."""
    found, start = [], None
    for at, c in enumerate(text):
        joins = c in "'’" and start is not None and at + 1 < len(text) and text[at + 1].isalnum()
        if joins or (c.isalnum() and not is_ideographic(c)):
            start = at if start is None else start
            continue
        if start is not None:
            found.append((start, at))
            start = None
        if c == "\n" or not c.isspace():
            found.append((at, at + 1))
    if start is not None:
        found.append((start, len(text)))
    return [part for a, b in found for part in parted(text, a, b)]


# The words that short forms end with, as they are written out.
SHORT_FORMS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}


def parted(text, start, end):
    word = text[start:end].lower().replace("’", "'")
    length = next((len(form) for form in SHORT_FORMS if word.endswith(form) and len(word) > len(form)), 0)
    return [(start, end - length), (end - length, end)] if length else [(start, end)]


def norm(word):
    word = unicodedata.normalize("NFKC", word).lower().replace("’", "'")
    word = SHORT_FORMS.get(word, word)
    return "0" * min(len(word), 5) if word.isdigit() else word


def shape(word):
    if word.isdigit():
        return "0"
    if any(c.isdigit() for c in word):
        return "a0"
    if word[0].isupper():
        return "AA" if len(word) > 1 and word[1:].isupper() else "Aa"
    return "a" if word[0].isalpha() else "."


def stem(word):
    """A word as the embedder's table has it: without accents, up to its apostrophe."""
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return plain.split("'")[0]


def groups(words, marks):
    """The runs of words that end with one of the marks."""
    found, run = [], []
    for at, word in enumerate(words):
        run.append(at)
        if word in marks:
            found.append(run)
            run = []
    return found + [run] if run else found


@functools.cache
def fnv(text):
    """FNV-1a."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def bucket(mark, part):
    """Bucket 0 stands for nothing."""
    return fnv(f"{mark} {part}") % (BUCKETS - 1) + 1


def parts(text):
    """What each word is known by: the buckets of the word, its shape, and its beginning and end, or its pairs with its neighbors."""
    written = [text[a:b] for a, b in tokens(text)]
    words = [norm(word) for word in written]
    around = ["#", *words, "#"]
    for at, (part, word) in enumerate(zip(written, words)):
        known = [bucket("w", word), bucket("h", shape(part)), 0, 0]
        if is_ideographic(word[0]):
            known[2:] = bucket("2", f"{around[at]} {word}"), bucket("3", f"{word} {around[at + 2]}")
        elif word[0].isalpha():
            known[2:] = bucket("p", word[:4]), bucket("x", word[-3:])
        yield known, stem(word)


def table():
    """The whole words of the embedder's table, and their vectors of length 1."""
    data = (ROOT / "crates/models/src/embed/builtin/table.bin").read_bytes()
    count, width, letters = struct.unpack_from("<III", data, 8)
    at = 20 + 2 * (1 << 16)
    ends = np.frombuffer(data, "<u4", count, at)
    scales = np.frombuffer(data, "<f4", count, at + 6 * count)
    at += 10 * count
    text, rows = data[at : at + letters], np.frombuffer(data, "i1", count * width, at + letters).reshape(count, width)
    starts = np.concatenate([[0], ends[:-1] & 0x7FFFFFFF])
    pieces = [text[a : b & 0x7FFFFFFF].decode() for a, b in zip(starts.tolist(), ends.tolist())]
    wanted = [n for n, piece in enumerate(pieces) if not ends[n] >> 31 and any(c.isalpha() for c in piece)]
    vectors = rows[wanted] * scales[wanted, None]
    return [pieces[n] for n in wanted], vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
