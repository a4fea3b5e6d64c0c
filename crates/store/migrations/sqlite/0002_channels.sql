------------------------------------------------------------------------------------------------------------------------
-- Files that came with messages

-- A file is fetched after its message is recorded. The bytes lie in the home's `files` folder by their hash; several rows
-- may name one file.
CREATE TABLE attachments (
    id         INTEGER PRIMARY KEY,
    -- NULL once the message was forgotten for good. The row goes when its file was swept.
    message    INTEGER REFERENCES messages (seq),
    kind       TEXT    NOT NULL,
    -- The channel's own name of the file.
    source     TEXT    NOT NULL,
    name       TEXT,
    media_type TEXT,
    bytes      INTEGER,
    state      TEXT    NOT NULL DEFAULT 'waiting',
    hash       TEXT,
    problem    TEXT,
    attempts   INTEGER NOT NULL DEFAULT 0,
    due_at     INTEGER NOT NULL DEFAULT 0,
    -- The forgetting that took it, as long as that can be undone.
    forgotten  BLOB
);
CREATE INDEX attachments_of_message ON attachments (message) WHERE message IS NOT NULL;
CREATE INDEX attachments_to_fetch ON attachments (due_at) WHERE state = 'waiting' AND message IS NOT NULL AND forgotten IS NULL;
CREATE INDEX attachments_of_file ON attachments (hash) WHERE hash IS NOT NULL;
CREATE INDEX attachments_forgotten ON attachments (forgotten) WHERE forgotten IS NOT NULL;
CREATE INDEX attachments_to_sweep ON attachments (id) WHERE message IS NULL;

------------------------------------------------------------------------------------------------------------------------
-- Intake: pairing from the owner's phone, and the model of a chat

-- People who were rejected and cannot ask again yet ('rejected'), and people of whom the owner was told ('told').
CREATE TABLE pairing_marks (
    person     TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (person, kind)
) WITHOUT ROWID;

-- The model that the owner chose for a chat; NULL for the one of the settings.
ALTER TABLE chats ADD COLUMN model TEXT;

------------------------------------------------------------------------------------------------------------------------
-- Delivery

-- When an item became uncertain, by the real clock. Its body is kept so that the person can have it sent again.
ALTER TABLE outbox ADD COLUMN uncertain_at INTEGER;
-- Whether the person was told that the item is uncertain, or it is itself such a notice.
ALTER TABLE outbox ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
UPDATE outbox SET told = 1 WHERE state = 'uncertain';
CREATE INDEX outbox_untold ON outbox (id) WHERE state = 'uncertain' AND NOT told;

-- Replies that are shown by a message which is edited as they grow.
CREATE TABLE live_replies (
    turn        BLOB PRIMARY KEY REFERENCES turns (id),
    -- The words that are shown, or are about to be.
    words       TEXT NOT NULL,
    -- The channel's id of the message that shows them; NULL until the channel has answered.
    external_id TEXT
) WITHOUT ROWID;

------------------------------------------------------------------------------------------------------------------------
-- Chats

-- An import may bring thousands of chats; each is read by itself.
CREATE INDEX messages_of_chat ON messages (chat, seq);
