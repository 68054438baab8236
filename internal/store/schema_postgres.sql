-- What only PostgreSQL has: it runs after schema.sql.

-- Transcripts. A row has its place once, so a step is written once. words is what people and
-- agents said in sessions (an owner with a slash is a sub-agent). Signs separate words, so that
-- the words of an address can be found one by one. A tsvector cannot hold more than a megabyte.
CREATE TABLE messages (
    owner     TEXT NOT NULL,
    turn      BIGINT NOT NULL,
    step      BIGINT NOT NULL,
    idx       BIGINT NOT NULL,
    speaker   TEXT NOT NULL, -- user, assistant or tool
    agent     TEXT NOT NULL DEFAULT '',
    text      TEXT NOT NULL,
    calls     TEXT NOT NULL DEFAULT '', -- the tool calls that it asks for, as JSON
    call_id   TEXT NOT NULL DEFAULT '', -- the call whose result it is
    own       TEXT NOT NULL DEFAULT '', -- an errand.Own: whether it is errand that speaks in an agent's name
    result    TEXT NOT NULL DEFAULT '', -- of the step, where idx is 0
    state_for TEXT NOT NULL DEFAULT '', -- the provider, model and wire that state is for
    state     BYTEA,                    -- what the provider wants back with the next request; no export has it
    created   BIGINT NOT NULL,
    words     TSVECTOR GENERATED ALWAYS AS (
        CASE WHEN speaker IN ('user', 'assistant') AND position('/' IN owner) = 0 THEN
            to_tsvector('simple', translate(left(text, 100000), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))
        END) STORED,
    PRIMARY KEY (owner, turn, step, idx)
);
CREATE INDEX messages_words ON messages USING gin (words);
CREATE INDEX messages_created ON messages (created) WHERE speaker IN ('user', 'assistant'); -- finds the newest of many matches

-- After a crash all rates begin anew, as after a restart.
ALTER TABLE rates SET UNLOGGED;
