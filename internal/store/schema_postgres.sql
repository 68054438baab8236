-- The part for PostgreSQL only. It runs after schema.sql.

-- Transcripts. A position is unique, so a step is written once. words has the words of people's and
-- agents' messages in sessions (an owner with a slash is a sub-agent). Punctuation separates words,
-- so that a search finds each word of an address. A tsvector cannot hold more than a megabyte.
CREATE TABLE messages (
    owner     TEXT NOT NULL,
    turn      BIGINT NOT NULL,
    step      BIGINT NOT NULL,
    idx       BIGINT NOT NULL,
    speaker   TEXT NOT NULL, -- user, assistant or tool
    agent     TEXT NOT NULL DEFAULT '',
    text      TEXT NOT NULL,
    calls     TEXT NOT NULL DEFAULT '', -- JSON: its tool calls
    call_id   TEXT NOT NULL DEFAULT '', -- the call whose result it is
    own       TEXT NOT NULL DEFAULT '', -- a core.Own: whether errand wrote it in an agent's name
    result    TEXT NOT NULL DEFAULT '', -- of the step, if idx is 0
    state_for TEXT NOT NULL DEFAULT '', -- the provider, model and wire that state is for
    state     BYTEA,                    -- the provider's state for the next request; never exported
    created   BIGINT NOT NULL,
    words     TSVECTOR GENERATED ALWAYS AS (
        CASE WHEN speaker IN ('user', 'assistant') AND position('/' IN owner) = 0 THEN
            to_tsvector('simple', translate(left(text, 100000), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))
        END) STORED,
    PRIMARY KEY (owner, turn, step, idx)
);
CREATE INDEX messages_words ON messages USING gin (words);
CREATE INDEX messages_created ON messages (created) WHERE speaker IN ('user', 'assistant'); -- finds the newest of many matches

-- A crash resets all rates, like a restart.
ALTER TABLE rates SET UNLOGGED;
