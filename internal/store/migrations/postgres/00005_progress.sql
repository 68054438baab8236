-- +goose Up
-- What is shown beside the messages, and how long a platform asks to wait.

-- The message in a chat that shows how far the tasks of a turn are. message is
-- the platform's id of it: empty while it is being sent for the first time, or if
-- nobody knows what became of that. shown is a hash of what it says. Nobody may
-- change it before wait_until; it is open while it may change.
CREATE TABLE progress (
    owner      TEXT NOT NULL,
    turn       BIGINT NOT NULL,
    message    TEXT NOT NULL DEFAULT '',
    shown      TEXT NOT NULL DEFAULT '',
    wait_until BIGINT NOT NULL,
    open       BOOLEAN NOT NULL DEFAULT TRUE,
    PRIMARY KEY (owner, turn)
);
CREATE INDEX progress_open ON progress (owner) WHERE open;

-- not_before: the platform has asked not to be called before; 0: it has not.
ALTER TABLE outbox ADD COLUMN not_before BIGINT NOT NULL DEFAULT 0;

-- A chat that has another id on its platform now. Everything in errand keeps the
-- first one, chat.
CREATE TABLE moved_chats (
    channel  TEXT NOT NULL,
    account  TEXT NOT NULL,
    chat     TEXT NOT NULL,
    moved_to TEXT NOT NULL,
    PRIMARY KEY (channel, account, chat)
);
CREATE INDEX moved_chats_to ON moved_chats (channel, account, moved_to);
