-- +goose Up
-- What a chat refused, and takes again.

-- reopened: it was blocked, and is tried once more since its chat took something
-- else. doubt: before it was blocked or dismissed it may have arrived, in part or
-- as a whole.
ALTER TABLE outbox ADD COLUMN reopened BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE outbox ADD COLUMN doubt BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX outbox_blocked ON outbox (channel, account, chat, thread, id) WHERE state = 'blocked' AND NOT reopened;
