-- Messages, and what is kept beside them. Times are microseconds since 1970, UTC. Ids are UUIDs as 16 bytes.

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE chats (
    id               INTEGER PRIMARY KEY,
    key              TEXT    NOT NULL UNIQUE,
    -- What the word index has taken in.
    indexed_messages INTEGER NOT NULL DEFAULT 0,
    indexed_terms    INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE lanes (
    id           INTEGER PRIMARY KEY,
    chat         INTEGER NOT NULL REFERENCES chats (id),
    key          TEXT    NOT NULL,
    messages     INTEGER NOT NULL DEFAULT 0,
    last_at      INTEGER,
    -- The first message of the newest conversation.
    conversation BLOB,
    -- The running turn and the process that holds the lane for it.
    turn         BLOB,
    owner        TEXT,
    UNIQUE (chat, key)
);
CREATE INDEX held_lanes ON lanes (turn, owner) WHERE turn IS NOT NULL;

CREATE TABLE messages (
    seq         INTEGER PRIMARY KEY,
    id          BLOB    NOT NULL UNIQUE,
    chat        INTEGER NOT NULL,
    lane        INTEGER NOT NULL REFERENCES lanes (id),
    role        TEXT    NOT NULL,
    occurred_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    -- Whether it opens a conversation; derived from the times, kept so that windows are read in one walk.
    opens       INTEGER NOT NULL,
    -- What it costs in a window; derived from the text.
    tokens      INTEGER NOT NULL,
    channel     TEXT    NOT NULL,
    speaker     TEXT,
    agent       TEXT,
    reply_to    BLOB,
    text        TEXT    NOT NULL,
    -- A JSON list, where channels know it by ids of their own.
    external_ids TEXT,
    metadata    TEXT
);
CREATE INDEX messages_in_lane ON messages (lane, occurred_at, seq);
CREATE INDEX conversations_in_lane ON messages (lane, occurred_at, seq) WHERE opens;

-- Finds a message by a channel's id, and an imported line without one by its fingerprint.
CREATE TABLE external_ids (
    chat    INTEGER NOT NULL,
    id      TEXT    NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (chat, id)
) WITHOUT ROWID;

CREATE TABLE fingerprints (
    chat        INTEGER NOT NULL,
    fingerprint BLOB    NOT NULL,
    message     INTEGER NOT NULL,
    PRIMARY KEY (chat, fingerprint)
) WITHOUT ROWID;

CREATE TABLE summaries (
    id         BLOB    PRIMARY KEY,
    chat       INTEGER NOT NULL REFERENCES chats (id),
    lane       INTEGER NOT NULL REFERENCES lanes (id),
    scope      TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    messages   INTEGER NOT NULL,
    first_id   BLOB    NOT NULL,
    first_at   INTEGER NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_id    BLOB    NOT NULL,
    last_at    INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    stale      INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX summaries_in_lane ON summaries (lane, scope, last_at, last_seq);

-- The word index. Each block holds postings of one term in one chat, in order of the messages.
CREATE TABLE postings (
    chat  INTEGER NOT NULL,
    term  TEXT    NOT NULL,
    first INTEGER NOT NULL,
    block BLOB    NOT NULL,
    -- Not WITHOUT ROWID: blocks inside the tree of keys would make it deep.
    PRIMARY KEY (chat, term, first)
);

-- Messages that the index has not taken in; a search reads them as they are.
CREATE TABLE unindexed (
    chat  INTEGER NOT NULL,
    seq   INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (chat, seq)
) WITHOUT ROWID;

-- Messages that no turn has taken up.
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
    -- Empty while the words are still coming.
    message  INTEGER REFERENCES messages (seq),
    delivery TEXT NOT NULL,
    -- Whether a later turn was told that the delivery is uncertain.
    told     INTEGER NOT NULL DEFAULT 0
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
    UNIQUE (kind, subject)
);
CREATE INDEX jobs_by_due ON jobs (due_at);
