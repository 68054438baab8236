-- +goose Up
-- What providers of models hand out, and want back.

-- state: what the provider that answered wants back with the next request; opaque, and
-- for the provider, model and wire only that state_for names. It is in no export.
ALTER TABLE messages ADD COLUMN state_for TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN state BYTEA;

-- Answers that a provider works on, whoever listens: see step_pending.go. A row goes with
-- the outcome of its step; one whose turn is closed is to be cancelled at the provider.
-- prompt is a hash of what the answer is to.
CREATE TABLE pending_responses (
    owner    TEXT   NOT NULL,
    turn     BIGINT NOT NULL,
    step     BIGINT NOT NULL,
    provider TEXT   NOT NULL,
    response TEXT   NOT NULL,
    prompt   TEXT   NOT NULL,
    created  BIGINT NOT NULL,
    PRIMARY KEY (owner, turn, step)
);
