-- All tables of a Throughline database. Times are microseconds since 1970, UTC. Ids are UUIDs as 16 bytes.

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

------------------------------------------------------------------------------------------------------------------------
-- Chats, lanes, messages

CREATE TABLE chats (
    id               INTEGER PRIMARY KEY,
    key              TEXT    NOT NULL UNIQUE,
    -- Messages in the word index, and their terms.
    indexed_messages INTEGER NOT NULL DEFAULT 0,
    indexed_terms    INTEGER NOT NULL DEFAULT 0,
    -- Counts rebuilds of the index and writes of vectors. An index in memory compares them to see whether it is current.
    generation       INTEGER NOT NULL DEFAULT 0,
    vector_writes    INTEGER NOT NULL DEFAULT 0,
    -- Counts forgettings. A job that read the chat before one of them must not write what it derived.
    forgettings      INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE lanes (
    id           INTEGER PRIMARY KEY,
    chat         INTEGER NOT NULL REFERENCES chats (id),
    key          TEXT    NOT NULL,
    messages     INTEGER NOT NULL DEFAULT 0,
    last_at      INTEGER,
    -- The first message of the newest conversation.
    conversation BLOB,
    -- The running turn, and the process that holds the lane for it.
    turn         BLOB,
    owner        TEXT,
    -- The assistant's question that waits for an answer, as JSON.
    pending      TEXT,
    -- Messages up to this position were imported for search only and are not compacted.
    floor_at     INTEGER,
    floor_seq    INTEGER,
    -- Whether the channel has deleted this topic or thread.
    closed       INTEGER NOT NULL DEFAULT 0,
    UNIQUE (chat, key)
);
CREATE INDEX held_lanes ON lanes (turn, owner) WHERE turn IS NOT NULL;

CREATE TABLE messages (
    seq          INTEGER PRIMARY KEY,
    id           BLOB    NOT NULL UNIQUE,
    chat         INTEGER NOT NULL,
    lane         INTEGER NOT NULL REFERENCES lanes (id),
    role         TEXT    NOT NULL,
    occurred_at  INTEGER NOT NULL,
    recorded_at  INTEGER NOT NULL,
    -- Whether it opens a conversation. Derived from the times, and kept so that a window is read in one walk.
    opens        INTEGER NOT NULL,
    -- Its cost in a window. Derived from the text.
    tokens       INTEGER NOT NULL,
    channel      TEXT    NOT NULL,
    speaker      TEXT,
    agent        TEXT,
    reply_to     BLOB,
    text         TEXT    NOT NULL,
    -- The channels' own ids of the message, as a JSON list.
    external_ids TEXT,
    metadata     TEXT
);
CREATE INDEX messages_in_lane ON messages (lane, occurred_at, seq);
CREATE INDEX conversations_in_lane ON messages (lane, occurred_at, seq) WHERE opens;

-- Finds a message by a channel's id.
CREATE TABLE external_ids (
    chat    INTEGER NOT NULL,
    id      TEXT    NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (chat, id)
) WITHOUT ROWID;

-- Finds an imported line that has no id of its own.
CREATE TABLE fingerprints (
    chat        INTEGER NOT NULL,
    fingerprint BLOB    NOT NULL,
    message     INTEGER NOT NULL,
    PRIMARY KEY (chat, fingerprint)
) WITHOUT ROWID;

------------------------------------------------------------------------------------------------------------------------
-- Turns

-- Messages that wait for a turn.
CREATE TABLE waiting (
    message INTEGER PRIMARY KEY REFERENCES messages (seq),
    lane    INTEGER NOT NULL REFERENCES lanes (id)
);
CREATE INDEX waiting_in_lane ON waiting (lane);

CREATE TABLE turns (
    id         BLOB    PRIMARY KEY,
    lane       INTEGER NOT NULL REFERENCES lanes (id),
    status     TEXT    NOT NULL,
    owner      TEXT    NOT NULL,
    -- The end of the owner's lease, by the real clock.
    leased_to  INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    -- Ids and figures, never text.
    receipt    TEXT,
    problem    TEXT
) WITHOUT ROWID;
CREATE INDEX turns_in_lane ON turns (lane, started_at);

CREATE TABLE turn_messages (
    message INTEGER PRIMARY KEY REFERENCES messages (seq),
    turn    BLOB NOT NULL REFERENCES turns (id)
);
CREATE INDEX messages_of_turn ON turn_messages (turn);

CREATE TABLE replies (
    turn     BLOB PRIMARY KEY REFERENCES turns (id),
    lane     INTEGER NOT NULL REFERENCES lanes (id),
    -- NULL while the model is still writing.
    message  INTEGER REFERENCES messages (seq),
    delivery TEXT NOT NULL,
    -- Whether a later turn was told that the delivery is uncertain.
    reported INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX undelivered_replies ON replies (lane) WHERE delivery <> 'sent';

CREATE TABLE jobs (
    id        INTEGER PRIMARY KEY,
    kind      TEXT    NOT NULL,
    -- Two jobs of one kind with one subject are one job.
    subject   TEXT    NOT NULL,
    due_at    INTEGER NOT NULL,
    attempts  INTEGER NOT NULL DEFAULT 0,
    owner     TEXT,
    leased_to INTEGER,
    problem   TEXT,
    -- Whether the job was requested again while it ran.
    rerun     INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, subject)
);
CREATE INDEX jobs_by_due ON jobs (due_at);

------------------------------------------------------------------------------------------------------------------------
-- The search index. It can be rebuilt from the messages.

-- Each block holds postings of one term in one chat, in order of the messages. `first` is the first message in it.
CREATE TABLE postings (
    chat  INTEGER NOT NULL,
    term  TEXT    NOT NULL,
    first INTEGER NOT NULL,
    block BLOB    NOT NULL,
    -- Not WITHOUT ROWID: blocks inside the tree of keys would make it deep.
    PRIMARY KEY (chat, term, first)
);

-- Messages that are not in the index yet. A search reads their texts.
CREATE TABLE unindexed (
    chat  INTEGER NOT NULL,
    seq   INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (chat, seq)
) WITHOUT ROWID;

-- The speakers of a chat: a role, and a name if it is known.
CREATE TABLE speakers (
    chat   INTEGER NOT NULL,
    number INTEGER NOT NULL,
    role   TEXT    NOT NULL,
    name   TEXT,
    PRIMARY KEY (chat, number)
) WITHOUT ROWID;

-- Metadata of indexed messages, in blocks. `first` is the first message of a block.
CREATE TABLE message_meta (
    chat    INTEGER NOT NULL,
    first   INTEGER NOT NULL,
    entries BLOB    NOT NULL,
    PRIMARY KEY (chat, first)
);

-- The signs of the vectors of one block of metadata. A search compares signs first.
CREATE TABLE vector_signs (
    chat     INTEGER NOT NULL,
    embedder TEXT    NOT NULL,
    first    INTEGER NOT NULL,
    signs    BLOB    NOT NULL,
    PRIMARY KEY (chat, embedder, first)
);

-- The vectors of a block, in small parts. A search reads those of the best candidates.
CREATE TABLE vectors (
    chat       INTEGER NOT NULL,
    embedder   TEXT    NOT NULL,
    first      INTEGER NOT NULL,
    part       INTEGER NOT NULL,
    components BLOB    NOT NULL,
    PRIMARY KEY (chat, embedder, first, part)
);

-- Vectors of messages that are not in a block yet.
CREATE TABLE unmerged_vectors (
    chat       INTEGER NOT NULL,
    embedder   TEXT    NOT NULL,
    message    INTEGER NOT NULL,
    components BLOB    NOT NULL,
    PRIMARY KEY (chat, embedder, message)
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

------------------------------------------------------------------------------------------------------------------------
-- Summaries, memories, profiles

CREATE TABLE summaries (
    id         BLOB    PRIMARY KEY,
    chat       INTEGER NOT NULL REFERENCES chats (id),
    lane       INTEGER NOT NULL REFERENCES lanes (id),
    scope      TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    -- The five sections as JSON.
    sections   TEXT,
    messages   INTEGER NOT NULL,
    first_id   BLOB    NOT NULL,
    first_at   INTEGER NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_id    BLOB    NOT NULL,
    last_at    INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    stale      INTEGER NOT NULL DEFAULT 0,
    -- The newest message when the summary was made.
    made_after INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX summaries_in_lane ON summaries (lane, scope, last_at, last_seq);

CREATE TABLE memories (
    seq           INTEGER PRIMARY KEY,
    id            BLOB    NOT NULL UNIQUE,
    -- The chat in which it was learned.
    chat          INTEGER NOT NULL REFERENCES chats (id),
    -- The person it belongs to; NULL if it stays in its chat.
    person        TEXT,
    kind          TEXT    NOT NULL,
    text          TEXT    NOT NULL,
    category      TEXT    NOT NULL,
    confidence    REAL    NOT NULL,
    extracted     INTEGER NOT NULL,
    status        TEXT    NOT NULL,
    speaker       TEXT,
    day           TEXT,
    -- The messages, and the bytes of their texts, that prove it. A JSON list.
    proofs        TEXT    NOT NULL,
    valid_from    INTEGER NOT NULL,
    valid_to      INTEGER,
    superseded_by BLOB,
    used_at       INTEGER,
    learned_at    INTEGER NOT NULL,
    changed_at    INTEGER NOT NULL,
    -- The newest message when it was learned. A conversation that began earlier does not see it.
    learned_after INTEGER NOT NULL,
    -- Whether the person was asked to confirm a suggested memory.
    offered       INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX memories_of_chat ON memories (chat);
CREATE INDEX memories_of_person ON memories (person) WHERE person IS NOT NULL;
CREATE INDEX memories_to_offer ON memories (chat) WHERE status = 'suggested' AND NOT offered;

-- Messages of people that wait for extraction.
CREATE TABLE unextracted (
    chat    INTEGER NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (chat, message)
) WITHOUT ROWID;

-- Profiles in a model's words, of 'person:…' or 'chat:…'. The newest few are kept, because a running conversation keeps
-- the one it began with.
CREATE TABLE profiles (
    owner   TEXT    NOT NULL,
    made_at INTEGER NOT NULL,
    text    TEXT    NOT NULL,
    PRIMARY KEY (owner, made_at)
) WITHOUT ROWID;

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
    -- NULL if the price is unknown.
    cost_usd      REAL,
    ms            REAL    NOT NULL,
    problem       TEXT
);
CREATE INDEX calls_by_time ON calls (at);
CREATE INDEX calls_of_chat ON calls (chat, at);

------------------------------------------------------------------------------------------------------------------------
-- Forgetting

-- Receipts: figures only.
CREATE TABLE forgettings (
    id         BLOB    PRIMARY KEY,
    chat       INTEGER NOT NULL REFERENCES chats (id),
    at         INTEGER NOT NULL,
    -- The end of the time in which it can be undone; NULL once nothing can.
    undo_until INTEGER,
    memories   INTEGER NOT NULL,
    messages   INTEGER NOT NULL,
    summaries  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX forgettings_to_purge ON forgettings (undo_until) WHERE undo_until IS NOT NULL;

-- The forgotten text, until it is purged; it is nowhere else. If several forgettings took from one message, each keeps
-- the whole message and the sentences that it took.
CREATE TABLE forgotten_words (
    forgetting BLOB NOT NULL,
    kind       TEXT NOT NULL,
    id         BLOB NOT NULL,
    before     TEXT NOT NULL,
    PRIMARY KEY (forgetting, kind, id)
) WITHOUT ROWID;
CREATE INDEX forgotten_words_of ON forgotten_words (kind, id);

-- Keyed hashes that keep a forgotten value from being learned again. They hold no words.
CREATE TABLE suppressions (
    chat       INTEGER NOT NULL,
    -- A suppression of a person holds in all of their chats.
    person     TEXT,
    forgetting BLOB    NOT NULL,
    at         INTEGER NOT NULL,
    hashes     TEXT    NOT NULL
);
CREATE INDEX suppressions_of_chat ON suppressions (chat);
CREATE INDEX suppressions_of_person ON suppressions (person) WHERE person IS NOT NULL;

------------------------------------------------------------------------------------------------------------------------
-- Channels

-- Our accounts on channels, such as a bot, and the state of each connection.
CREATE TABLE accounts (
    id          TEXT    PRIMARY KEY,
    name        TEXT,
    -- The update to ask for next, and when the newest one came.
    next_update INTEGER NOT NULL DEFAULT 0,
    heard_at    INTEGER,
    state       TEXT    NOT NULL DEFAULT 'new',
    problem     TEXT,
    changed_at  INTEGER NOT NULL DEFAULT 0,
    owner       TEXT
) WITHOUT ROWID;

-- The inbox: updates that were ingested. A channel repeats an update for a day at most.
CREATE TABLE updates (
    account TEXT    NOT NULL,
    id      INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (account, id)
) WITHOUT ROWID;
CREATE INDEX updates_by_time ON updates (at);

-- Commands and pressed buttons that wait to be handled.
CREATE TABLE inbound_actions (
    id     INTEGER PRIMARY KEY,
    lane   INTEGER NOT NULL REFERENCES lanes (id),
    -- The newest message when it came. Earlier messages are answered first.
    after  INTEGER NOT NULL,
    action TEXT    NOT NULL
);
CREATE INDEX inbound_actions_in_lane ON inbound_actions (lane);

-- The outbox: what is to be sent, piece by piece. An item is on disk before it is sent.
CREATE TABLE outbox (
    id          INTEGER PRIMARY KEY,
    chat        TEXT    NOT NULL,
    -- The message it is a piece of, and the turn that made it. Both are NULL if what is shown is not recorded.
    message     INTEGER REFERENCES messages (seq),
    turn        BLOB    REFERENCES turns (id),
    state       TEXT    NOT NULL DEFAULT 'pending',
    -- Empty once it was sent.
    body        TEXT    NOT NULL,
    -- Whether sending it twice is the same as sending it once.
    repeatable  INTEGER NOT NULL DEFAULT 0,
    due_at      INTEGER NOT NULL DEFAULT 0,
    attempts    INTEGER NOT NULL DEFAULT 0,
    owner       TEXT,
    leased_to   INTEGER NOT NULL DEFAULT 0,
    external_id TEXT,
    problem     TEXT,
    -- Whether a later turn was told that the delivery is uncertain.
    reported    INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_unsent ON outbox (chat, id) WHERE state IN ('pending', 'sending');
CREATE INDEX outbox_uncertain ON outbox (message) WHERE state = 'uncertain';
CREATE INDEX outbox_of_message ON outbox (message) WHERE message IS NOT NULL;
CREATE INDEX outbox_of_turn ON outbox (turn) WHERE turn IS NOT NULL;

-- Buttons under sent messages. The channel carries the id, and `action` says what it does: ids, no words.
CREATE TABLE buttons (
    id         TEXT    PRIMARY KEY,
    -- The buttons of one bundle are used up together.
    bundle     BLOB    NOT NULL,
    chat       TEXT    NOT NULL,
    -- The person who may press it.
    person     TEXT    NOT NULL,
    action     TEXT    NOT NULL,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX buttons_of_bundle ON buttons (bundle);

-- People who asked to be paired, and those who were.
CREATE TABLE pairing_requests (
    code       TEXT    PRIMARY KEY,
    person     TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    chat       TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE paired_people (
    person TEXT    PRIMARY KEY,
    name   TEXT    NOT NULL,
    at     INTEGER NOT NULL
) WITHOUT ROWID;

-- Runs of routines. A routine has one run for each time it was due.
CREATE TABLE runs (
    routine    TEXT    NOT NULL,
    due_at     INTEGER NOT NULL,
    state      TEXT    NOT NULL,
    owner      TEXT,
    leased_to  INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    message    BLOB,
    problem    TEXT,
    PRIMARY KEY (routine, due_at)
) WITHOUT ROWID;

-- The schedule of each routine and since when it holds. What was due before that is not run.
CREATE TABLE schedules (
    routine  TEXT    PRIMARY KEY,
    schedule TEXT    NOT NULL,
    since    INTEGER NOT NULL
) WITHOUT ROWID;
