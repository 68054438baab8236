-- +goose Up
-- The message in a chat that shows a reply while it is being written. message is the
-- platform's id of it: empty while it is being sent for the first time, or if nobody knows
-- what became of that. Nobody else calls the platform about it before busy_until. outbox is
-- the row that takes its place; 0: none yet. behind is the last row that there was when it was
-- made. Without an owner its session is deleted.
CREATE TABLE previews (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      TEXT NOT NULL,
    turn       BIGINT NOT NULL,
    channel    TEXT NOT NULL,
    account    TEXT NOT NULL,
    chat       TEXT NOT NULL,
    thread     TEXT NOT NULL,
    message    TEXT NOT NULL DEFAULT '',
    busy_until BIGINT NOT NULL,
    outbox     BIGINT NOT NULL DEFAULT 0,
    behind     BIGINT NOT NULL,
    created    BIGINT NOT NULL
);
CREATE UNIQUE INDEX previews_of_turn ON previews (owner, turn) WHERE owner <> '';
CREATE INDEX previews_taken ON previews (outbox) WHERE outbox <> 0;
