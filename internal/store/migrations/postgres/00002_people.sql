-- +goose Up
-- People with roles, what lets them in, sessions that are handed over, found
-- again and cleaned up, reminders.

ALTER TABLE people ADD COLUMN language TEXT NOT NULL DEFAULT '';   -- BCP 47; '': the installation's
ALTER TABLE people ADD COLUMN last_agent TEXT NOT NULL DEFAULT ''; -- the specialist they last talked with

ALTER TABLE identities ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE identities ADD COLUMN created BIGINT NOT NULL DEFAULT 0;
CREATE INDEX identities_person ON identities (person);

-- hash is the SHA-256 of the token, in hex: the token itself is shown once and
-- kept nowhere. expires 0: never.
CREATE TABLE tokens (
    id      TEXT COLLATE "C" PRIMARY KEY,
    hash    TEXT NOT NULL UNIQUE,
    person  TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL, -- api or login
    name    TEXT NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX tokens_person ON tokens (person);

-- A sender that nobody knows asks to be let in. other_ids, a list, are further ids
-- of the same sender. token_hash is of what a browser that asks will be known by
-- once it is approved.
CREATE TABLE pairings (
    code        TEXT PRIMARY KEY,
    channel     TEXT NOT NULL,
    account     TEXT NOT NULL,
    external_id TEXT NOT NULL,
    other_ids   TEXT NOT NULL DEFAULT '',
    name        TEXT NOT NULL,
    language    TEXT NOT NULL,
    chat        TEXT NOT NULL, -- where to say that they have been let in; '': nowhere
    thread      TEXT NOT NULL,
    token_hash  TEXT NOT NULL DEFAULT '',
    state       TEXT NOT NULL, -- pending, approved or denied; expired is a matter of time
    created     BIGINT NOT NULL,
    expires     BIGINT NOT NULL,
    decided     BIGINT NOT NULL DEFAULT 0,
    decided_by  TEXT NOT NULL DEFAULT '',
    person      TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX pairings_pending ON pairings (channel, account, external_id) WHERE state = 'pending';
CREATE INDEX pairings_token ON pairings (token_hash) WHERE token_hash <> '';

-- Senders that were turned away, for the operator to see.
CREATE TABLE refusals (
    channel     TEXT NOT NULL,
    account     TEXT NOT NULL,
    external_id TEXT NOT NULL,
    name        TEXT NOT NULL,
    reason      TEXT NOT NULL,
    times       BIGINT NOT NULL,
    first       BIGINT NOT NULL,
    last        BIGINT NOT NULL,
    PRIMARY KEY (channel, account, external_id)
);

-- sticky_until: when the session goes back to the primary agent; 0: it is with
-- it, or stays. proposal: the agent to whom a switch has been proposed.
ALTER TABLE sessions ADD COLUMN sticky_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN proposal TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_channel ON sessions (channel, active);
CREATE INDEX sessions_agent ON sessions (agent, active);
CREATE INDEX sessions_state ON sessions (state, active);
CREATE INDEX sessions_key ON sessions (key, active);
CREATE INDEX sessions_deleted ON sessions (id) WHERE reason = 'deleted'; -- and not yet gone

-- cause: message; reminder for what errand itself puts in; command for one that
-- has been carried out, whose text is its answer. person: who wrote
-- it, in a session that several share; '': whose session it is.
ALTER TABLE inbox ADD COLUMN cause TEXT NOT NULL DEFAULT 'message';
ALTER TABLE inbox ADD COLUMN person TEXT NOT NULL DEFAULT '';
CREATE INDEX inbox_superseded ON inbox (created) WHERE superseded;

-- options: what a question offers as answers, JSON; '': it is none. cause: of a
-- late reply that no result caused.
ALTER TABLE events ADD COLUMN options TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN cause TEXT NOT NULL DEFAULT '';
CREATE INDEX events_of_session ON events (session) WHERE session <> '';
ALTER TABLE outbox ADD COLUMN options TEXT NOT NULL DEFAULT '';

-- session: where the note was made.
ALTER TABLE memory ADD COLUMN session TEXT NOT NULL DEFAULT '';
CREATE INDEX memory_session ON memory (session) WHERE session <> '';
CREATE INDEX memory_expires ON memory (expires) WHERE expires > 0;
CREATE INDEX memory_updated ON memory (updated);

-- read: when the person's agent looked at a result that was told without it.
ALTER TABLE tasks ADD COLUMN read BIGINT NOT NULL DEFAULT 0;
CREATE INDEX tasks_of_session ON tasks (session);
CREATE INDEX tasks_unread ON tasks (person, finished) WHERE read = 0 AND way IN ('notification', 'none');

CREATE INDEX outbox_of_turn ON outbox (made_by);
CREATE INDEX outbox_sent ON outbox (created) WHERE state IN ('sent', 'dismissed');

CREATE INDEX usage_created ON usage (created);
CREATE INDEX usage_person ON usage (person, created);
CREATE TABLE usage_days (
    day           TEXT NOT NULL, -- UTC
    person        TEXT NOT NULL,
    agent         TEXT NOT NULL,
    model         TEXT NOT NULL,
    provider      TEXT NOT NULL,
    calls         BIGINT NOT NULL,
    input_tokens  BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cost          DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (day, person, agent, model, provider)
);
CREATE INDEX usage_days_person ON usage_days (person, day);

-- spec is JSON, in the words of package when. next 0: it will not come again.
CREATE TABLE reminders (
    id          TEXT COLLATE "C" PRIMARY KEY,
    person      TEXT NOT NULL,
    session_key TEXT NOT NULL,
    session     TEXT NOT NULL,
    agent       TEXT NOT NULL,
    role        TEXT NOT NULL,
    text        TEXT NOT NULL,
    spec        TEXT NOT NULL,
    state       TEXT NOT NULL, -- active, done or canceled
    next        BIGINT NOT NULL,
    times       BIGINT NOT NULL DEFAULT 0,
    last        BIGINT NOT NULL DEFAULT 0,
    call        TEXT UNIQUE, -- the tool call that asked for it; NULL for people
    created     BIGINT NOT NULL
);
CREATE INDEX reminders_person ON reminders (person, created);
CREATE INDEX reminders_active ON reminders (next) WHERE state = 'active';

CREATE TABLE upkeep (
    id       TEXT COLLATE "C" PRIMARY KEY, -- of the run of the Maintenance workflow
    started  BIGINT NOT NULL,
    finished BIGINT NOT NULL DEFAULT 0,
    report   TEXT NOT NULL DEFAULT ''
);
CREATE INDEX upkeep_started ON upkeep (started);

-- What people and agents said in sessions, by word. Signs part words, so that
-- those of an address can be found one by one. The longest text that a tsvector
-- can be made of is a megabyte.
ALTER TABLE messages ADD COLUMN words TSVECTOR GENERATED ALWAYS AS (
    CASE WHEN speaker IN ('user', 'assistant') AND position('/' IN owner) = 0 THEN
        to_tsvector('simple', translate(left(text, 100000), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))
    END) STORED;
CREATE INDEX messages_words ON messages USING gin (words);
CREATE INDEX messages_created ON messages (created) WHERE speaker IN ('user', 'assistant'); -- the newest of many are found at once
