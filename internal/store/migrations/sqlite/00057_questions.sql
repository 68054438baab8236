-- +goose Up
-- What waits for a person: see questions.go. The call that asks is its key: a step that is
-- committed again asks nothing twice.
CREATE TABLE questions (
    id           TEXT PRIMARY KEY,
    kind         TEXT NOT NULL,
    state        TEXT NOT NULL, -- open, answered, declined, expired or withdrawn
    conversation TEXT NOT NULL, -- what transactions about it lock
    session_key  TEXT NOT NULL, -- of the chat in which it is asked; '': none
    session      TEXT NOT NULL,
    channel      TEXT NOT NULL,
    account      TEXT NOT NULL,
    chat         TEXT NOT NULL,
    thread       TEXT NOT NULL,
    task         TEXT NOT NULL, -- '': the session's own agent asks
    agent        TEXT NOT NULL,
    owner        TEXT NOT NULL,
    turn         INTEGER NOT NULL,
    step         INTEGER NOT NULL,
    idx          INTEGER NOT NULL, -- 0: the reply of the turn asks
    person       TEXT NOT NULL,
    text         TEXT NOT NULL,
    options      TEXT NOT NULL,
    answer_schema TEXT NOT NULL,
    answer       TEXT NOT NULL DEFAULT '',
    answered_by  TEXT NOT NULL DEFAULT '',
    answered_as  TEXT NOT NULL DEFAULT '', -- the agent that answered for them
    answered_in  TEXT NOT NULL DEFAULT '', -- the channel
    created      INTEGER NOT NULL,
    expires      INTEGER NOT NULL,
    answered     INTEGER NOT NULL DEFAULT 0, -- when it left the state open
    next_at      INTEGER NOT NULL, -- when it is reminded of, or expires
    reminded     INTEGER NOT NULL DEFAULT 0, -- how often
    told         BOOLEAN NOT NULL DEFAULT FALSE, -- whoever asked has been told what became of it
    signalled    INTEGER NOT NULL DEFAULT 0, -- when its workflow was told last by the watchdog
    UNIQUE (owner, turn, step, idx)
);
CREATE INDEX questions_open ON questions (person, created) WHERE state = 'open';
CREATE INDEX questions_chat ON questions (session_key, created) WHERE state = 'open';
CREATE INDEX questions_due ON questions (next_at) WHERE state = 'open';
CREATE INDEX questions_untold ON questions (answered) WHERE NOT told AND state <> 'open';
CREATE INDEX questions_task ON questions (task) WHERE task <> '';
CREATE INDEX questions_session ON questions (session) WHERE session <> '';
ALTER TABLE outbox ADD COLUMN question TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN question TEXT NOT NULL DEFAULT '';
