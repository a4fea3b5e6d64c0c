------------------------------------------------------------------------------------------------------------------------
-- Callers over HTTP

-- API tokens ('token'), one-time links to the dashboard ('code') and its sessions ('session'). Only hashes are kept.
CREATE TABLE credentials (
    hash       BLOB    PRIMARY KEY,
    kind       TEXT    NOT NULL,
    -- A token's name; empty for the others.
    name       TEXT    NOT NULL,
    -- What it opens: the chats of a person, one chat, or everything if both are NULL.
    person     TEXT,
    chat       TEXT,
    created_at INTEGER NOT NULL,
    -- NULL if it does not expire.
    expires_at INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX tokens_by_name ON credentials (name) WHERE kind = 'token';

-- The persons of chats that no setting names: the one whose token touched the empty chat first.
CREATE TABLE claims (
    chat   TEXT PRIMARY KEY,
    person TEXT NOT NULL
) WITHOUT ROWID;

-- Requests that were carried out and must not be carried out twice. Hashes and ids, never text.
CREATE TABLE requests (
    key      BLOB    PRIMARY KEY,
    body     BLOB    NOT NULL,
    message  BLOB    NOT NULL,
    -- The memories that it made, as a JSON list of ids.
    memories TEXT    NOT NULL,
    at       INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX requests_by_time ON requests (at);

CREATE INDEX calls_of_turn ON calls (turn) WHERE turn IS NOT NULL;
CREATE INDEX replies_of_message ON replies (message) WHERE message IS NOT NULL;
