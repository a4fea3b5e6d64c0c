-- Channels that send and receive on their own: what arrived, what is to be sent, who may speak, what routines did.

-- Our accounts on channels, such as a bot, and how listening there goes.
CREATE TABLE accounts (
    id         TEXT    PRIMARY KEY,
    name       TEXT,
    -- The update that is asked for next, and when the newest one came.
    next       INTEGER NOT NULL DEFAULT 0,
    heard_at   INTEGER,
    state      TEXT    NOT NULL DEFAULT 'new',
    problem    TEXT,
    changed_at INTEGER NOT NULL DEFAULT 0,
    owner      TEXT
) WITHOUT ROWID;

-- Updates that were taken in, so that one that comes again is known. A channel repeats them for a day at most.
CREATE TABLE updates (
    account TEXT    NOT NULL,
    id      INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (account, id)
) WITHOUT ROWID;
CREATE INDEX updates_by_time ON updates (at);

-- What arrived to be done rather than answered: commands and pressed buttons.
CREATE TABLE inbound_actions (
    id    INTEGER PRIMARY KEY,
    lane  INTEGER NOT NULL REFERENCES lanes (id),
    -- The newest message when it came: what was said before is answered before.
    after INTEGER NOT NULL,
    what  TEXT    NOT NULL
);
CREATE INDEX inbound_actions_in_lane ON inbound_actions (lane);

-- What is sent, piece by piece: on disk before it leaves, with the id it was given after.
CREATE TABLE outbox (
    id          INTEGER PRIMARY KEY,
    chat        TEXT    NOT NULL,
    -- The message it is a piece of, and the turn that made it; neither where what was shown is not kept.
    message     INTEGER REFERENCES messages (seq),
    turn        BLOB    REFERENCES turns (id),
    state       TEXT    NOT NULL DEFAULT 'pending',
    -- Empty once it has left.
    body        TEXT    NOT NULL,
    -- Whether sending it twice is the same as sending it once.
    repeatable  INTEGER NOT NULL DEFAULT 0,
    due_at      INTEGER NOT NULL DEFAULT 0,
    attempts    INTEGER NOT NULL DEFAULT 0,
    owner       TEXT,
    external_id TEXT,
    problem     TEXT,
    -- Whether a later turn was told that nobody knows what became of it.
    told        INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_unsent ON outbox (chat, id) WHERE state IN ('pending', 'sending');
CREATE INDEX outbox_uncertain ON outbox (message) WHERE state = 'uncertain';
CREATE INDEX outbox_of_message ON outbox (message) WHERE message IS NOT NULL;
CREATE INDEX outbox_of_turn ON outbox (turn) WHERE turn IS NOT NULL;

-- Buttons under what was sent: the channel carries the id, this is what it stands for. Ids, no words.
CREATE TABLE buttons (
    id     TEXT    PRIMARY KEY,
    -- Those of one bundle are used up together.
    bundle BLOB    NOT NULL,
    chat   TEXT    NOT NULL,
    -- Whom it is meant for.
    person TEXT    NOT NULL,
    action TEXT    NOT NULL,
    until  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX buttons_of_bundle ON buttons (bundle);

-- People who asked to be let in, and those who were.
CREATE TABLE pairings (
    code   TEXT    PRIMARY KEY,
    person TEXT    NOT NULL,
    name   TEXT    NOT NULL,
    chat   TEXT    NOT NULL,
    at     INTEGER NOT NULL,
    until  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX pairings_of_person ON pairings (person);
CREATE TABLE paired_people (
    person TEXT    PRIMARY KEY,
    name   TEXT    NOT NULL,
    at     INTEGER NOT NULL
) WITHOUT ROWID;

-- Runs of routines; the moment one was due tells it from all others.
CREATE TABLE runs (
    routine    TEXT    NOT NULL,
    due_at     INTEGER NOT NULL,
    state      TEXT    NOT NULL,
    owner      TEXT,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    message    BLOB,
    problem    TEXT,
    PRIMARY KEY (routine, due_at)
) WITHOUT ROWID;

-- Since when a routine has had its schedule: what was due before is nobody's business.
CREATE TABLE schedules (
    routine  TEXT    PRIMARY KEY,
    schedule TEXT    NOT NULL,
    since    INTEGER NOT NULL
) WITHOUT ROWID;

-- Whether the channel has no such strand any more.
ALTER TABLE lanes ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
-- Whether a person was asked about a memory that waits for a yes.
ALTER TABLE memories ADD COLUMN offered INTEGER NOT NULL DEFAULT 0;
CREATE INDEX memories_to_offer ON memories (chat) WHERE status = 'suggested' AND NOT offered;
