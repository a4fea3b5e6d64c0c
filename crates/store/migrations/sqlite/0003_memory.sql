-- What was learned, what it cost, and what was forgotten.

CREATE TABLE memories (
    seq           INTEGER PRIMARY KEY,
    id            BLOB    NOT NULL UNIQUE,
    -- Where it was learned.
    chat          INTEGER NOT NULL REFERENCES chats (id),
    -- Whose it is; empty where it stays in its chat.
    person        TEXT,
    kind          TEXT    NOT NULL,
    text          TEXT    NOT NULL,
    category      TEXT    NOT NULL,
    confidence    REAL    NOT NULL,
    extracted     INTEGER NOT NULL,
    status        TEXT    NOT NULL,
    speaker       TEXT,
    day           TEXT,
    -- A JSON list of messages and the bytes of their texts that prove it.
    proofs        TEXT    NOT NULL,
    valid_from    INTEGER NOT NULL,
    valid_to      INTEGER,
    superseded_by BLOB,
    used_at       INTEGER,
    -- When it was written down, and when its status last changed, by the calendar.
    learned_at    INTEGER NOT NULL,
    changed_at    INTEGER NOT NULL,
    -- The newest message when it was written down: what came later began without it, wherever the calendar stands.
    learned_after INTEGER NOT NULL
);
CREATE INDEX memories_of_chat ON memories (chat);
CREATE INDEX memories_of_person ON memories (person) WHERE person IS NOT NULL;

-- Messages of people that nobody has learned from yet.
CREATE TABLE unextracted (
    chat    INTEGER NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (chat, message)
) WITHOUT ROWID;

-- Vectors of memories and summaries, by their ids.
CREATE TABLE piece_vectors (
    piece      BLOB    NOT NULL,
    embedder   TEXT    NOT NULL,
    chat       INTEGER NOT NULL,
    components BLOB    NOT NULL,
    PRIMARY KEY (piece, embedder)
) WITHOUT ROWID;
CREATE INDEX piece_vectors_of_chat ON piece_vectors (chat);

-- Portraits as a model wrote them; whose: 'person:…' or 'chat:…'. The newest few are kept, for a conversation goes on
-- with the one it began with.
CREATE TABLE profiles (
    owner   TEXT    NOT NULL,
    made_at INTEGER NOT NULL,
    text    TEXT    NOT NULL,
    PRIMARY KEY (owner, made_at)
) WITHOUT ROWID;

-- The five sections of a summary as JSON, and the newest message when it was made.
ALTER TABLE summaries ADD COLUMN sections TEXT;
ALTER TABLE summaries ADD COLUMN made_after INTEGER NOT NULL DEFAULT 0;
-- The question of the assistant that waits for an answer, as JSON.
ALTER TABLE lanes ADD COLUMN pending TEXT;
-- Up to here nothing is to be condensed: it was imported only to be found.
ALTER TABLE lanes ADD COLUMN floor_at INTEGER;
ALTER TABLE lanes ADD COLUMN floor_seq INTEGER;

-- Every call of a model.
CREATE TABLE calls (
    id            INTEGER PRIMARY KEY,
    at            INTEGER NOT NULL,
    chat          INTEGER REFERENCES chats (id),
    turn          BLOB,
    purpose       TEXT    NOT NULL,
    -- Whether no person waited for it.
    background    INTEGER NOT NULL,
    model         TEXT    NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    -- Empty where nobody knows.
    cost_usd      REAL,
    ms            REAL    NOT NULL,
    problem       TEXT
);
CREATE INDEX calls_by_time ON calls (at);
CREATE INDEX calls_of_chat ON calls (chat, at);

-- Receipts of forgetting: figures only.
CREATE TABLE forgettings (
    id         BLOB    PRIMARY KEY,
    chat       INTEGER NOT NULL REFERENCES chats (id),
    at         INTEGER NOT NULL,
    -- Until then it can be undone; empty where nothing is left to undo.
    undo_until INTEGER,
    memories   INTEGER NOT NULL,
    messages   INTEGER NOT NULL,
    summaries  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX forgettings_to_purge ON forgettings (undo_until) WHERE undo_until IS NOT NULL;

-- What was there before: the only place where forgotten words are, until they are purged. Where several forgettings
-- took from one message, each keeps the whole of it and the sentences that it took itself.
CREATE TABLE forgotten_words (
    forgetting BLOB NOT NULL,
    kind       TEXT NOT NULL,
    id         BLOB NOT NULL,
    before     TEXT NOT NULL,
    PRIMARY KEY (forgetting, kind, id)
) WITHOUT ROWID;
CREATE INDEX forgotten_words_of ON forgotten_words (kind, id);

-- How often something was forgotten in a chat: what was read before does not count any more.
ALTER TABLE chats ADD COLUMN forgettings INTEGER NOT NULL DEFAULT 0;

-- What keeps a forgotten value from being learned again: keyed hashes, no words.
CREATE TABLE suppressions (
    chat       INTEGER NOT NULL,
    -- Whose; such a suppression holds in all chats of the person.
    person     TEXT,
    forgetting BLOB    NOT NULL,
    at         INTEGER NOT NULL,
    suppression       TEXT    NOT NULL
);
CREATE INDEX veils_of_chat ON suppressions (chat);
CREATE INDEX veils_of_person ON suppressions (person) WHERE person IS NOT NULL;

-- Whether a job that runs was asked for once more meanwhile.
ALTER TABLE jobs ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
