"""The messages that the network is trained on: exchanges as their authors wrote them, each statement by itself and between small talk,
and statements in the words of others, as people paste, forward, dictate, report and play them.

In the text files, ⟦…⟧ marks what is not the person's own and ⟪f:…⟫ a statement that should be learned (fact, preference, goal,
date). In those whose name begins with "texts", § is a statement, № a name, ⌚ a time, ¶ what the person says beside it, and {a|b} are
alternatives.
"""
import collections
import json
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).parent
VOICE = HERE.parent / "voice"
sys.path.insert(0, str(VOICE))
import layouts
from words import ENDS, OWN, groups, norm, tokens

KINDS = {"f": "fact", "p": "preference", "g": "goal", "d": "date"}
LETTERS = {kind: letter for letter, kind in KINDS.items()}
# Kinds of messages in which the sentence itself tells that it states nothing: it keeps its words.
WHOLE = set("order negated hypo question reported dictate dictated dictation roleplay template log code survey quiz joke game".split())
MARKS = re.compile(r"(⟦|⟧|⟪\w:|⟫)")
# How often a message of each of the text files is filled with other statements.
COPIES = {"hand": 4, "kinds": 4, "texts": 30}
LAYOUTS = 5000
CHATS = 2500

# Its text, the statements in it (start, end, kind), what is another's (start, end), and whether that is told of it at all.
Message = collections.namedtuple("Message", "text stated foreign is_told")


def exchanges(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def of_exchange(row):
    places = [(row["user"].find(it["quote"]), it) for it in row["expect"]]
    return Message(row["user"], [(at, at + len(it["quote"]), it["kind"]) for at, it in places if at >= 0], [], False)


def read(marked, is_told=True):
    """A text with marks as a message."""
    text, stated, foreign, opened = "", [], [], None
    for part in MARKS.split(marked):
        if MARKS.fullmatch(part):
            opened = part if part[0] in "⟦⟪" else None
            continue
        if opened == "⟦":
            foreign.append((len(text), len(text) + len(part)))
        elif opened:
            stated.append((len(text), len(text) + len(part), KINDS[opened[1]]))
        text += part
    return Message(text, stated, foreign, is_told)


def marked(row):
    """An exchange's message with marks."""
    text, found, end = row["user"], "", 0
    for start, stop, kind in sorted(of_exchange(row).stated):
        if start >= end:
            found += text[end:start] + stated(text[start:stop], kind)
            end = stop
    return found + text[end:]


def stated(quote, kind):
    return f"⟪{LETTERS[kind]}:{quote}⟫"


def is_cjk(lang):
    return lang in ("ja", "zh")


class Statements:
    """What the authors' people state, and the short messages they state it in, by language."""

    def __init__(self, rows):
        self.quotes, self.messages = collections.defaultdict(list), collections.defaultdict(list)
        for row in rows:
            self.quotes[row["lang"][:2]] += [(it["quote"].strip(" .!。"), it["kind"]) for it in row["expect"]]
            if row["expect"] and len(row["user"]) < 300 and "\n" not in row["user"]:
                self.messages[row["lang"][:2]].append(row)

    def quote(self, chance, lang):
        return chance.choice(self.quotes[lang])[0]


def blocks(path):
    for block in re.split(r"(?:^|\n)== ", path.read_text())[1:]:
        head, _, body = block.partition("\n")
        yield head.split(), body.strip("\n")


def of_templates(path, statements, chance, copies):
    for (_, lang), body in blocks(path):
        for _ in range(copies):
            text, names = body, chance.sample(layouts.NAMES[lang], 2)
            while re.search(r"\{[^{}]*\}", text):
                text = layouts.filled(chance, text)

            def cased(quote):
                return quote if lang == "de" or chance.random() < 0.5 else quote[:1].upper() + quote[1:]

            def own(_):
                return marked(chance.choice(statements.messages[lang])) if chance.random() < 0.5 else ""

            def said(_):
                quote, kind = chance.choice(statements.quotes[lang])
                return stated(cased(quote), kind)

            text = re.sub("⟪x:§⟫", said, re.sub("¶", own, text))
            text = re.sub("§", lambda _: cased(statements.quote(chance, lang)), text)
            text = re.sub("⌚", lambda _: layouts.clock(chance), re.sub("№", lambda _: chance.choice(names), text))
            yield read(re.sub(r"\n{3,}", "\n\n", text).strip())


def of_hand(path, statements, chance, copies):
    """Messages as they are, and with other statements in the same places."""

    def refilled(line, lang):
        label, rest = (re.match(r"(.{0,40}?(?::|：|\]|>| -|–)\s*)(.*)", line) or re.match("()(.*)", line)).groups()
        is_own = any(norm(rest[a:b]) in OWN for a, b in tokens(rest))
        if not rest.strip() or not (is_own or chance.random() < 0.3):
            return line
        said = [statements.quote(chance, lang) for _ in range(chance.choice([1, 1, 2]))]
        return label + ("。" if is_cjk(lang) else ". ").join(said) + chance.choice(["", ".", "!"])

    for (kind, lang), body in blocks(path):
        yield read(body)
        if kind in WHOLE:
            # In place of the copies that others have.
            yield read(body)
            continue
        for _ in range(copies if statements.quotes[lang] else 0):
            found, opened = "", ""
            for part in MARKS.split(body):
                if MARKS.fullmatch(part):
                    opened = part
                elif opened == "⟦":
                    part = "\n".join(refilled(line, lang) for line in part.split("\n"))
                elif opened.startswith("⟪"):
                    part = chance.choice([quote for quote, kind in statements.quotes[lang] if LETTERS[kind] == opened[1]] or [part])
                found += part
            yield read(found)


def of_layouts(statements, chance, count):
    for number in range(count):
        lang = chance.choices(list(layouts.NAMES), [6, 2, 2, 2, 2, 2])[0]
        beside = marked(chance.choice(statements.messages[lang])) if chance.random() < 0.5 else None
        said = [statements.quote(chance, lang) for _ in range(chance.choice([1, 1, 2, 3]))]
        if number % 3 == 0:
            yield read(layouts.message(chance, lang, said, beside))
            continue
        kind = chance.choice([kind for kind in layouts.PATTERNS[lang] if kind != "own"])
        both = [layouts.sentence(chance, lang, kind, said[0])] + ([beside] if beside else [])
        chance.shuffle(both)
        yield read(chance.choice(["。", "\n"] if is_cjk(lang) else [". ", "\n", "\n\n", "! ", "? "]).join(both))


def of_chat(statements, chance, count):
    """A few statements between a greeting, thanks or a remark and a question, as people talk."""
    for _ in range(count):
        lang = chance.choices(list(layouts.AROUND), [6, 2, 2, 2, 2, 2])[0]
        before, after = layouts.AROUND[lang]
        said = chance.sample(statements.quotes[lang], chance.choice([1, 1, 2, 2, 3]))
        said = [stated(quote if is_cjk(lang) else quote[:1].upper() + quote[1:], kind) for quote, kind in said]
        end, marks = ("。", "。！、") if is_cjk(lang) else (". ", [". ", ". ", "! ", ", ", "\n"])
        opening = chance.choice(before) + chance.choice(marks) if chance.random() < 0.7 else ""
        closing = end + chance.choice(after) if chance.random() < 0.4 else chance.choice(["", end.strip(), "!"])
        yield read(opening + end.join(said) + closing)


def alone(rows, chance):
    """Each statement as a message of its own, and so each sentence of messages that tell nothing: people are often brief. Both end
    with a mark or without one, or the mark would tell them apart."""
    for row in rows:
        for it in row["expect"]:
            quote = it["quote"]
            if chance.random() < 0.3 and row["lang"][:2] != "de":
                quote = quote[:1].upper() + quote[1:]
            yield Message(quote + chance.choice(["", ".", "!"]), [(0, len(quote), it["kind"])], [], True)
        parts = groups(row["user"], ENDS) if not row["expect"] else []
        for part in parts if len(parts) > 1 else []:
            sentence = row["user"][part[0] : part[-1] + 1].strip()
            yield Message(sentence.rstrip(chance.choice(["", ".!"])), [], [], False)


def everything(rows, seed):
    chance, statements = random.Random(seed), Statements(rows)
    found = [of_exchange(row) for row in rows] * 2 + list(alone(rows, chance))
    for path in sorted(VOICE.glob("*-?.txt")):
        fill = of_templates if path.stem.startswith("texts") else of_hand
        found += fill(path, statements, chance, COPIES[path.stem.split("-")[0]])
    found += of_layouts(statements, chance, LAYOUTS)
    found += of_chat(statements, chance, CHATS)
    found += [read(body, is_told=False) for _, body in blocks(HERE / "long.txt")] * 3
    chance.shuffle(found)
    return [message for message in found if message.text.strip()]
