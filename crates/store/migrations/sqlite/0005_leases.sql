-- Until when what a process holds is its own, by the real clock. What was begun before there were leases is nobody's.
ALTER TABLE turns ADD COLUMN leased_to INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN leased_to INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN leased_to INTEGER NOT NULL DEFAULT 0;
