-- +goose Up
-- Times are microseconds since 1970, UTC. Lists and objects are JSON text.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE people (
    id      TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    role    TEXT NOT NULL,
    created BIGINT NOT NULL
);

CREATE TABLE identities (
    channel     TEXT NOT NULL,
    account     TEXT NOT NULL,
    external_id TEXT NOT NULL,
    person      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    PRIMARY KEY (channel, account, external_id)
);

-- owner, turn and step say which turn took the row; turn is null until then.
-- place is the id of the row whose place an edit has taken.
CREATE TABLE inbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_key TEXT NOT NULL,
    channel     TEXT NOT NULL,
    account     TEXT NOT NULL,
    chat        TEXT NOT NULL,
    message_id  TEXT NOT NULL,
    revision    BIGINT NOT NULL,
    role        TEXT NOT NULL,
    reply_to    TEXT NOT NULL,
    text        TEXT NOT NULL,
    superseded  BOOLEAN NOT NULL DEFAULT FALSE,
    place       BIGINT,
    owner       TEXT,
    turn        BIGINT,
    step        BIGINT,
    created     BIGINT NOT NULL,
    UNIQUE (channel, account, chat, message_id, revision)
);
CREATE INDEX inbox_unclaimed ON inbox (session_key, id) WHERE turn IS NULL AND NOT superseded;
CREATE INDEX inbox_claimed ON inbox (owner, turn, step) WHERE turn IS NOT NULL;

CREATE TABLE sessions (
    id      TEXT PRIMARY KEY,
    key     TEXT NOT NULL,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    chat    TEXT NOT NULL,
    thread  TEXT NOT NULL,
    person  TEXT NOT NULL,
    agent   TEXT NOT NULL,
    state   TEXT NOT NULL,
    busy    TEXT NOT NULL DEFAULT '',
    turns   BIGINT NOT NULL DEFAULT 0,
    created BIGINT NOT NULL,
    active  BIGINT NOT NULL,
    ended   BIGINT NOT NULL DEFAULT 0,
    reason  TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX sessions_current ON sessions (key) WHERE state <> 'ended';
CREATE INDEX sessions_person ON sessions (person, active);
CREATE INDEX sessions_active ON sessions (active);

-- conversation is what its transactions lock (see tx.go).
CREATE TABLE turns (
    owner        TEXT NOT NULL,
    turn         BIGINT NOT NULL,
    conversation TEXT NOT NULL,
    cause        TEXT NOT NULL,
    root         TEXT NOT NULL,
    person       TEXT NOT NULL,
    role         TEXT NOT NULL,
    reply_to     TEXT NOT NULL,
    open         BOOLEAN NOT NULL,
    replied      BOOLEAN NOT NULL DEFAULT FALSE,
    reason       TEXT NOT NULL DEFAULT '',
    created      BIGINT NOT NULL,
    closed       BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, turn)
);
CREATE INDEX turns_open ON turns (owner, turn) WHERE open;

-- result is the outcome of the step, on its message with idx 0.
CREATE TABLE messages (
    owner   TEXT NOT NULL,
    turn    BIGINT NOT NULL,
    step    BIGINT NOT NULL,
    idx     BIGINT NOT NULL,
    speaker TEXT NOT NULL,
    agent   TEXT NOT NULL DEFAULT '',
    text    TEXT NOT NULL,
    calls   TEXT NOT NULL DEFAULT '',
    call_id TEXT NOT NULL DEFAULT '',
    result  TEXT NOT NULL DEFAULT '',
    created BIGINT NOT NULL,
    PRIMARY KEY (owner, turn, step, idx)
);

CREATE TABLE summaries (
    owner   TEXT NOT NULL,
    turn    BIGINT NOT NULL,
    step    BIGINT NOT NULL,
    text    TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (owner, turn, step)
);

-- The columns after origin repeat parts of it for indexes. told_by is the key
-- of the outbox row that told the outcome; told_step the step that folded it.
CREATE TABLE tasks (
    id           TEXT PRIMARY KEY,
    state        TEXT NOT NULL,
    agents       TEXT NOT NULL,
    from_agent   TEXT NOT NULL,
    text         TEXT NOT NULL,
    title        TEXT NOT NULL,
    fingerprint  TEXT NOT NULL,
    caller_owner TEXT NOT NULL DEFAULT '',
    caller_turn  BIGINT NOT NULL DEFAULT 0,
    caller_step  BIGINT NOT NULL DEFAULT 0,
    caller_idx   BIGINT NOT NULL DEFAULT 0,
    waits        BOOLEAN NOT NULL DEFAULT FALSE,
    parent       TEXT NOT NULL DEFAULT '',
    retry_of     TEXT NOT NULL DEFAULT '',
    origin       TEXT NOT NULL,
    person       TEXT NOT NULL,
    session_key  TEXT NOT NULL,
    session      TEXT NOT NULL,
    depth        BIGINT NOT NULL,
    conversation TEXT NOT NULL,
    result       TEXT NOT NULL DEFAULT '',
    error        TEXT NOT NULL DEFAULT '',
    way          TEXT NOT NULL DEFAULT '',
    told_by      TEXT NOT NULL DEFAULT '',
    told_step    BIGINT NOT NULL DEFAULT 0,
    model_calls  BIGINT NOT NULL DEFAULT 0,
    tokens       BIGINT NOT NULL DEFAULT 0,
    cost         DOUBLE PRECISION NOT NULL DEFAULT 0,
    created      BIGINT NOT NULL,
    finished     BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX tasks_caller ON tasks (caller_owner, caller_turn, caller_step, caller_idx) WHERE caller_owner <> '';
CREATE INDEX tasks_parent ON tasks (parent) WHERE parent <> '';
CREATE INDEX tasks_created ON tasks (created);
CREATE INDEX tasks_person ON tasks (person, created);
CREATE INDEX tasks_session ON tasks (session_key, created);
CREATE INDEX tasks_told_by ON tasks (told_by) WHERE told_by <> '';
CREATE INDEX tasks_open ON tasks (session, created) WHERE state IN ('submitted', 'working', 'input_required');
CREATE INDEX tasks_untold ON tasks (session_key, finished)
    WHERE way = '' AND state IN ('completed', 'failed', 'canceled', 'rejected');

CREATE TABLE reports (
    task    TEXT NOT NULL,
    agent   TEXT NOT NULL,
    state   TEXT NOT NULL,
    text    TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (task, agent)
);

-- made_by and made_turn say which turn made the row.
CREATE TABLE outbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    key         TEXT NOT NULL UNIQUE,
    channel     TEXT NOT NULL,
    account     TEXT NOT NULL,
    chat        TEXT NOT NULL,
    thread      TEXT NOT NULL,
    session_key TEXT NOT NULL,
    agent       TEXT NOT NULL,
    task        TEXT NOT NULL,
    event       TEXT NOT NULL,
    text        TEXT NOT NULL,
    reply_to    TEXT NOT NULL,
    made_by     TEXT NOT NULL,
    made_turn   BIGINT NOT NULL,
    state       TEXT NOT NULL,
    sending_until BIGINT NOT NULL DEFAULT 0,
    attempts    BIGINT NOT NULL DEFAULT 0,
    error       TEXT NOT NULL DEFAULT '',
    receipts    TEXT NOT NULL DEFAULT '',
    created     BIGINT NOT NULL,
    sent_at     BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX outbox_open ON outbox (channel, account, chat, thread, id) WHERE state IN ('pending', 'sending', 'unknown');
CREATE INDEX outbox_made ON outbox (made_by, made_turn) WHERE state = 'pending';

CREATE TABLE events (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_key TEXT NOT NULL,
    type        TEXT NOT NULL,
    session     TEXT NOT NULL DEFAULT '',
    turn        BIGINT NOT NULL DEFAULT 0,
    agent       TEXT NOT NULL DEFAULT '',
    task        TEXT NOT NULL DEFAULT '',
    state       TEXT NOT NULL DEFAULT '',
    text        TEXT NOT NULL DEFAULT '',
    message_id  TEXT NOT NULL DEFAULT '',
    created     BIGINT NOT NULL
);
CREATE INDEX events_session ON events (session_key, id);
CREATE INDEX events_message ON events (session_key, message_id) WHERE message_id <> '';

-- What was spent and what is reserved of a budget. Limits are configuration.
CREATE TABLE budgets (
    key             TEXT PRIMARY KEY,
    calls           BIGINT NOT NULL DEFAULT 0,
    tokens          BIGINT NOT NULL DEFAULT 0,
    cost            DOUBLE PRECISION NOT NULL DEFAULT 0,
    reserved_calls  BIGINT NOT NULL DEFAULT 0,
    reserved_tokens BIGINT NOT NULL DEFAULT 0,
    reserved_cost   DOUBLE PRECISION NOT NULL DEFAULT 0
);

-- One for each model call that has begun and has no outcome.
CREATE TABLE reservations (
    owner  TEXT NOT NULL,
    turn   BIGINT NOT NULL,
    step   BIGINT NOT NULL,
    keys   TEXT NOT NULL,
    calls  BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    cost   DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (owner, turn, step)
);

CREATE TABLE usage (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    owner         TEXT NOT NULL,
    turn          BIGINT NOT NULL,
    step          BIGINT NOT NULL,
    session       TEXT NOT NULL,
    person        TEXT NOT NULL,
    agent         TEXT NOT NULL,
    model         TEXT NOT NULL,
    provider      TEXT NOT NULL,
    input_tokens  BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cost          DOUBLE PRECISION NOT NULL,
    created       BIGINT NOT NULL
);
CREATE INDEX usage_session ON usage (session);

-- expires 0: never.
CREATE TABLE memory (
    person  TEXT NOT NULL,
    agent   TEXT NOT NULL,
    key     TEXT NOT NULL,
    value   TEXT NOT NULL,
    expires BIGINT NOT NULL DEFAULT 0,
    updated BIGINT NOT NULL,
    PRIMARY KEY (person, agent, key)
);
