-- +goose Up
-- Tools of the programs that talk with agents: see client_calls.go.

-- tools: what the program offers that a message comes by, as JSON; '': nothing.
ALTER TABLE inbox ADD COLUMN tools TEXT NOT NULL DEFAULT '';

-- Calls that turns have ended with, for a program to carry out. call_id: as the transcript has
-- it. state: open; unanswered: the conversation has gone on; answered; late: answered after it was
-- unanswered. inbox: the message that brought the output; output: until that is taken.
CREATE TABLE client_calls (
    id          TEXT PRIMARY KEY,
    session_key TEXT NOT NULL,
    owner       TEXT NOT NULL,
    turn        BIGINT NOT NULL,
    step        BIGINT NOT NULL,
    idx         BIGINT NOT NULL,
    call_id     TEXT NOT NULL,
    name        TEXT NOT NULL,
    state       TEXT NOT NULL,
    inbox       BIGINT NOT NULL DEFAULT 0,
    output      TEXT NOT NULL DEFAULT '',
    created     BIGINT NOT NULL
);
CREATE INDEX client_calls_owner ON client_calls (owner, turn);
CREATE INDEX client_calls_inbox ON client_calls (inbox) WHERE inbox <> 0;
