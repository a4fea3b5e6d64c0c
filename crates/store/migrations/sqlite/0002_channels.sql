-- What channels need beyond the first version.

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
