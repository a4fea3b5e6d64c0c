------------------------------------------------------------------------------------------------------------------------
-- Replies that pass through a proxy

-- The words that a client is shown of a reply while it comes. The row goes when the reply is recorded.
CREATE TABLE relayed_replies (
    id    BLOB    PRIMARY KEY,
    chat  INTEGER NOT NULL REFERENCES chats (id),
    words TEXT    NOT NULL
) WITHOUT ROWID;
