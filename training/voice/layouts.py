"""Lays sentences out as people paste them: exported chats, mails, transcripts, forms, texts to work on.

Each layout takes a source of chance, a language and sentences, and gives a text in which ⟦…⟧ marks what is not in the voice of
the person who sends it.
"""
import pathlib
import re

HERE = pathlib.Path(__file__).parent

NAMES = {
    "en": "Tom,Aisha,Greg W.,Mum,Dr Patel,Jess,Big Dave,Coach,Nina Holt,Landlord,+44 7700 900812,j.marsh,Uncle Ray".split(","),
    "de": "Uwe,Katrin,Hr. Lang,Mama,Oma Ilse,Nadine B.,Hausverwaltung,Yusuf,+49 151 2345678,Chefin".split(","),
    "es": "Lucía,Paco,Mamá,Sr. Ortiz,Abuela,Beto,+34 611 222 333,Casera,Marisol V.".split(","),
    "fr": "Chloé,Mamie,M. Girard,Papa,Karim,+33 6 12 34 56 78,Le proprio,Élodie R.".split(","),
    "ja": "ゆき,田中部長,母,けんた,さとう,大家さん,美咲".split(","),
    "zh": "小丽,王总,妈妈,阿强,房东,李老师,表姐".split(","),
}
# What people say before and after what they tell of themselves.
AROUND = {
    "en": ("""Hi|Hello|Hey there|Good morning|Good evening|Morning|Hello again|Hi, long time no see|Thanks|Thank you, that helped|Great, thanks|
        OK|Okay, got it|Sure|Ha, fair enough|Right|By the way|One more thing|Just so you know|Quick update|Lovely weather today|
        What a day|Sorry for the late reply|I'm back|Busy week|Finally Friday|Sounds good|Nice one|Oh well|No worries""",
        """What do you think?|Any ideas?|Can you help me plan?|What should I do next?|Does that make sense?|Thanks!|Talk later.|
        Anyway, how does that work?|Remind me if I forget.|Just saying.|Good night!|What would you cook?|So what now?|Have a nice day."""),
    "de": ("""Hallo|Guten Morgen|Guten Abend|Moin|Servus|Danke|Danke dir, das hat geholfen|Alles klar|Okay|Übrigens|Noch etwas|Nur damit du es weißt|
        Kurzes Update|Schönes Wetter heute|Was für ein Tag|Na gut""",
        """Was meinst du?|Hast du eine Idee?|Kannst du mir helfen?|Was soll ich tun?|Danke!|Bis später.|Nur so.|Gute Nacht!"""),
    "es": ("""Hola|Buenos días|Buenas noches|Gracias|Muchas gracias, me sirvió|Vale|De acuerdo|Por cierto|Otra cosa|Para que lo sepas|
        Qué día|Hace buen tiempo hoy""",
        """¿Qué opinas?|¿Alguna idea?|¿Me ayudas?|¿Qué hago ahora?|¡Gracias!|Hasta luego.|Buenas noches."""),
    "fr": ("""Bonjour|Bonsoir|Salut|Coucou|Merci|Merci, ça m'a aidé|D'accord|OK|Au fait|Encore une chose|Pour info|Quelle journée|Il fait beau""",
        """Qu'en penses-tu ?|Une idée ?|Tu peux m'aider ?|Je fais quoi ?|Merci !|À plus tard.|Bonne nuit."""),
    "ja": ("""おはよう|こんにちは|こんばんは|ありがとう|助かりました|了解|ところで|そういえば|あともう一つ|いい天気ですね|久しぶり""",
        """どう思う？|何かいい案ある？|手伝って。|どうすればいい？|ありがとう。|またね。|おやすみ。"""),
    "zh": ("""你好|早上好|晚上好|嗨|谢谢|谢谢，很有帮助|好的|对了|还有一件事|顺便说一下|今天天气不错|好久不见""",
        """你觉得呢？|有什么建议？|能帮我吗？|我该怎么办？|谢谢！|回头聊。|晚安。"""),
}
AROUND = {lang: tuple([it.strip() for it in part.split("|")] for part in parts) for lang, parts in AROUND.items()}
# Words with which people hand over a text, and what they want done with it.
FRAMES = {
    "en": """translate this|please translate into Dutch|fix the grammar|can you correct this|proofread|make this shorter|rewrite it nicer|
        summarise|sum this up for me|tl;dr please|what does this mean|reply to this|help me answer this|what should I write back|
        is this a scam|is this legit|he wrote|she just texted me|my mum sent me this|got this today|from the group chat|
        this was on the notice board|here is the transcript|minutes from today|read this|extract the names|turn this into a table|
        rate this|what do you think of this profile|continue the story|write an email saying|draft a message to my landlord|
        tell my boss that|text Lena that|how do you say this in Spanish|pasting what I got|the review says|forwarded|who said this|
        explain the tone|analyse this poem|make this formal|letter I found in the attic""",
    "de": """übersetze das|bitte ins Englische|korrigiere das|kannst du das kürzen|fass zusammen|was bedeutet das|wie antworte ich darauf|
        ist das Betrug|er schrieb|meine Mutter schickte mir das|aus der Gruppe|hier das Protokoll|lies mal|mach eine Tabelle daraus|
        bewerte das|schreib meinem Chef, dass|formuliere eine Nachricht an Lena|weitergeleitet|die Bewertung lautet|mach das höflicher|
        setz die Geschichte fort|gerade bekommen|Text vom Foto""",
    "es": """traduce esto|pásalo al inglés|corrige esto|resúmelo|acórtalo|qué significa esto|cómo le respondo|es una estafa|me escribió|
        mi madre me mandó esto|del grupo|aquí está la transcripción|lee esto|haz una tabla|valora este perfil|escríbele a mi jefe que|
        redacta un mensaje|reenviado|la reseña dice|hazlo más formal|sigue el cuento|acaba de llegarme""",
    "fr": """traduis ça|en anglais s'il te plaît|corrige|résume|raccourcis|ça veut dire quoi|comment je réponds|c'est une arnaque|il m'a écrit|
        ma mère m'a envoyé ça|dans le groupe|voici la transcription|lis ça|fais un tableau|que penses-tu de ce profil|écris à mon chef que|
        rédige un message|transféré|l'avis dit|rends ça plus formel|continue l'histoire|je viens de recevoir""",
    "ja": """これを訳して|英語にして|添削して|短くして|要約して|どういう意味|なんて返せばいい|これ詐欺|彼から来た|母から届いた|グループLINEより|
        文字起こしです|読んで|表にして|このプロフィールどう思う|上司にメールを書いて|転送|口コミ|丁寧な文にして|物語を続けて|さっき届いた""",
    "zh": """翻译一下|翻成英文|改一下语病|缩短|总结一下|这是什么意思|怎么回|是不是骗子|他发来的|我妈转给我的|群里的消息|会议记录|看看这个|
        做成表格|这个简介怎么样|给老板写条消息说|帮我起草|转发|差评|改得正式一点|续写|刚收到|照片上的字""",
}
FRAMES = {lang: [frame.strip() for frame in text.split("|")] for lang, text in FRAMES.items()}
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def clock(chance):
    return f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}"


def line_heads(chance):
    """How one program writes who said something when."""
    day, month, year = chance.randint(1, 28), chance.randint(1, 12), chance.choice(["26", "2026"])
    dot, slash = f"{day:02}.{month:02}.{year}", f"{month}/{day}/{year}"
    return chance.choice([
        lambda name: f"[{dot}, {clock(chance)}:{chance.randint(10, 59)}] {name}: ",
        lambda name: f"[{slash}, {clock(chance)}] {name}: ",
        lambda name: f"{slash}, {clock(chance)} - {name}: ",
        lambda name: f"{dot} {clock(chance)} {name}: ",
        lambda name: f"{name}, [{dot} {clock(chance)}]\n",
        lambda name: f"{name} {clock(chance)}\n",
        lambda name: f"{name}  {clock(chance)} PM\n",
        lambda name: f"{name} — {dot} {clock(chance)}\n",
        lambda name: f"[{clock(chance)}] {name}: ",
        lambda name: f"{clock(chance)} {name}: ",
        lambda name: f"{clock(chance)}\t{name}\t",
        lambda name: f"<{name}> ",
        lambda name: f"{name}: ",
        lambda name: f"{name} : ",
        lambda name: f"**{name}**: ",
        lambda name: f"- {name}: ",
        lambda name: f"@{name} ",
        lambda name: f"{name.upper()}: ",
        lambda name: f"{name}：",
        lambda name: f"[{name}] ",
        lambda name: f"({clock(chance)}) {name} > ",
        lambda name: f"{name} said:\n",
    ])


def chat(chance, lang, said):
    head, names = line_heads(chance), chance.sample(NAMES[lang], min(3, len(said) + 1))
    between = chance.choice(["\n", "\n", "\n\n"])
    return between.join(head(chance.choice(names)) + sentence for sentence in said)


def mail(chance, lang, said):
    name = chance.choice(NAMES[lang])
    heads = {
        "en": [f"From: {name}\nTo: me\nSubject: hello\n\n", f"On {chance.choice(MONTHS)} {chance.randint(1, 28)}, {name} wrote:\n",
               f"-----Original Message-----\nFrom: {name}\nSent: Monday\n\n", "Dear Sir or Madam,\n", "Hi all,\n\n", "Hello,\n",
               "---------- Forwarded message ---------\n", f"{name} <{name.split()[0].lower()}@example.org> schreef:\n", "Dear team, "],
        "de": [f"Von: {name}\nAn: mich\nBetreff: Hallo\n\n", f"Am {chance.randint(1, 28)}.03.2026 schrieb {name}:\n", "Sehr geehrte Damen und Herren,\n",
               "Liebe Nachbarn,\n", "Hallo zusammen,\n\n"],
        "es": [f"De: {name}\nPara: mí\nAsunto: hola\n\n", f"El {chance.randint(1, 28)} mar 2026, {name} escribió:\n", "Estimados señores:\n", "Hola a todos,\n\n"],
        "fr": [f"De : {name}\nÀ : moi\nObjet : bonjour\n\n", f"Le {chance.randint(1, 28)} mars 2026, {name} a écrit :\n", "Madame, Monsieur,\n", "Bonjour à tous,\n\n"],
        "ja": [f"差出人: {name}\n件名: ご連絡\n\n", "お世話になっております。\n", "各位\n"],
        "zh": [f"发件人：{name}\n主题：通知\n\n", "您好，\n", "各位同事：\n"],
    }
    ends = {"en": [f"\nBest,\n{name}", f"\n--\n{name} | Sales", "\nKind regards", "\nSent from my iPhone", ""], "de": [f"\nViele Grüße\n{name}", "\nMfG", ""],
            "es": [f"\nSaludos,\n{name}", ""], "fr": [f"\nCordialement,\n{name}", ""], "ja": ["\nよろしくお願いいたします。", ""], "zh": [f"\n此致\n{name}", ""]}
    return chance.choice(heads[lang]) + chance.choice([" ", "\n"]).join(said) + chance.choice(ends[lang])


def plain(chance, lang, said):
    """A text that nothing but what stands around it tells apart."""
    return chance.choice([" ", " ", "\n"]).join(said)


def listed(chance, lang, said):
    mark = chance.choice(["- ", "* ", "{}. ", "{}) ", "[x] ", "Q{}: ", "• "])
    return "\n".join(mark.format(number + 1) + sentence for number, sentence in enumerate(said))


def transcript(chance, lang, said):
    asks = {"en": ["Where are you from?", "And then?", "Tell us more."], "de": ["Woher kommen Sie?", "Und dann?"], "es": ["¿De dónde es?", "¿Y luego?"],
            "fr": ["D'où venez-vous ?", "Et ensuite ?"], "ja": ["ご出身は？", "それから？"], "zh": ["您是哪里人？", "然后呢？"]}[lang]
    labels = {"en": [("Interviewer", "Guest"), ("Q", "A"), ("Speaker 1", "Speaker 2"), ("HOST", "CALLER")], "de": [("Moderator", "Gast"), ("F", "A")],
              "es": [("Periodista", "Invitado"), ("P", "R")], "fr": [("Journaliste", "Invité"), ("Q", "R")], "ja": [("司会", "ゲスト"), ("Q", "A")],
              "zh": [("主持人", "嘉宾"), ("问", "答")]}[lang]
    one, other = chance.choice(labels)
    stamp = chance.choice([lambda: "", lambda: f"[00:{chance.randint(10, 59)}:{chance.randint(10, 59)}] ", lambda: f"{chance.randint(0, 9)}:{chance.randint(10, 59)} "])
    lines = []
    for sentence in said:
        if chance.random() < 0.6:
            lines.append(f"{stamp()}{one}: {chance.choice(asks)}")
        lines.append(f"{stamp()}{other}: {sentence}")
    return "\n".join(lines)


LAYOUTS = [(chat, 4), (mail, 3), (plain, 4), (listed, 1), (transcript, 1)]


def pasted(chance, lang, said):
    layout = chance.choices([layout for layout, _ in LAYOUTS], [weight for _, weight in LAYOUTS])[0]
    return layout, "⟦" + layout(chance, lang, said) + "⟧"


def message(chance, lang, said, own):
    """A message that hands over a text; `own` is what the person says beside it, or nothing."""
    frame = chance.choice(FRAMES[lang])
    if chance.random() < 0.3:
        frame = frame[:1].upper() + frame[1:]
    layout, text = pasted(chance, lang, said)
    where = chance.random()
    asks = "？" if lang in ("ja", "zh") else "?"
    if layout is plain or where < 0.45:
        colon = "：" if lang in ("ja", "zh") else ":"
        between = [f"{colon} ", f"{colon}\n", f"{colon}\n\n", "\n", "\n\n", f"{asks}\n", f"{asks} "]
        before = frame + chance.choice(between if layout is plain else between[1:6])
        parts = [before + text]
        if own and chance.random() < 0.5:
            parts.insert(0, own + chance.choice([" ", "\n", "\n\n"]))
        elif own:
            parts.append(chance.choice(["\n\n", "\n", "\n\n"]) + own)
    elif where < 0.75:
        parts = [text, chance.choice(["\n", "\n\n"]), frame, asks if chance.random() < 0.4 else ""]
        if own:
            parts += [chance.choice([". ", "\n", "\n\n"]), own]
    elif own:
        parts = chance.choice([[own, "\n\n", text], [text, "\n\n", own]])
    else:
        parts = [text]
    return "".join(parts)


def inline():
    """The patterns of inline.txt by language, and the words that fill them."""
    patterns, fillers = {}, {}
    for block in (HERE / "inline.txt").read_text().split("== ")[1:]:
        head, body = block.split("\n", 1)
        kind, lang = head.split()
        if kind in ("persons", "others", "parts"):
            fillers[kind, lang] = body.strip().split("|")
        else:
            # A line that begins with "|" continues an alternative.
            patterns.setdefault(lang, {})[kind] = re.split(r"\n(?!\|)", body.strip("\n"))
    return patterns, fillers


PATTERNS, FILLERS = inline()


def filled(chance, pattern):
    """A pattern with one of each of its alternatives."""
    return re.sub(r"\{([^{}]*)\}", lambda found: chance.choice(found[1].split("|")), pattern)


def sentence(chance, lang, kind, statement):
    """A sentence of a kind, in which the statement is put where the pattern says so."""
    text = filled(chance, chance.choice(PATTERNS[lang][kind]))
    fill = {"W": "persons", "H": "others", "R": "parts"}
    # A single capital that is no word: "I" stands for the statement only where the pattern ends a clause with it.
    slots = re.compile(r"(?<![A-Za-zÀ-ÿ'])([IWHR])(?![A-Za-zÀ-ÿ'])")
    places = list(slots.finditer(text))
    ones = [place.start() for place in places if place[1] == "I"]
    slot = next((at for at in reversed(ones) if not re.match(r"I (say|need|told|texted|wrote|reminded|already|mention|ask|play)", text[at:])), -1)
    if text.startswith(("⟦I in ", "⟦I to ", "⟦I -", "⟦I <-", "⟦I what", "I. ")):
        slot = ones[0]
    lowered = statement if lang == "de" or statement.startswith(("I ", "I'")) else statement[:1].lower() + statement[1:]

    def put(found):
        if found[1] == "I":
            return (lowered if found.start() > 1 else statement) if found.start() == slot else "I"
        return chance.choice(FILLERS[fill[found[1]], lang])

    text = slots.sub(put, text)
    return text[:1] + text[1:2].upper() + text[2:] if text[0] == "⟦" and chance.random() < 0.4 else text
