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
