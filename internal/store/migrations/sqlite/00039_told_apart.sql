-- +goose Up
-- What was told in a chat by no turn of its session: a result that an agent told on its
-- own account, or after the session that had asked for it was over. The next turn in
-- that chat puts it into its transcript. It has ids only, and goes with its delivery.

-- session: in whose transcript it is; empty: in none yet.
CREATE TABLE told_apart (
    session_key TEXT NOT NULL,
    outbox      INTEGER NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
    session     TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (session_key, outbox)
);
CREATE INDEX told_apart_outbox ON told_apart (outbox);
