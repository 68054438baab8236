-- +goose Up
-- What a chat refused, and takes again.

-- reopened: it was blocked, and is tried once more since its chat took something else.
ALTER TABLE outbox ADD COLUMN reopened BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX outbox_blocked ON outbox (channel, account, chat, thread) WHERE state = 'blocked' AND NOT reopened;
