-- +goose Up
-- What programs of people say over A2A: see a2a.go. message is the id that the program gives
-- it: of a person, it counts once. task is what came of it, question what it answers; '': nothing.
CREATE TABLE a2a_messages (
    person   TEXT NOT NULL,
    message  TEXT NOT NULL,
    context  TEXT NOT NULL,
    task     TEXT NOT NULL DEFAULT '',
    question TEXT NOT NULL DEFAULT '',
    created  BIGINT NOT NULL,
    PRIMARY KEY (person, message)
);
CREATE INDEX a2a_messages_context ON a2a_messages (person, context, created);
CREATE INDEX a2a_messages_task ON a2a_messages (task) WHERE task <> '';

-- Who is told when a task changes: see a2a_pushes.go. version is that of the protocol, base the
-- address by which the program calls errand. state and mark say what was told last; next_at is
-- when it may be tried, and until when a worker that tries has it. over: nothing is told any more.
CREATE TABLE a2a_pushes (
    task        TEXT NOT NULL,
    id          TEXT NOT NULL,
    version     TEXT NOT NULL,
    base        TEXT NOT NULL,
    url         TEXT NOT NULL,
    token       TEXT NOT NULL,
    scheme      TEXT NOT NULL,
    credentials TEXT NOT NULL,
    state       TEXT NOT NULL DEFAULT '',
    mark        TEXT NOT NULL DEFAULT '',
    attempts    BIGINT NOT NULL DEFAULT 0,
    next_at     BIGINT NOT NULL DEFAULT 0,
    over        BOOLEAN NOT NULL DEFAULT FALSE,
    created     BIGINT NOT NULL,
    PRIMARY KEY (task, id)
);
CREATE INDEX a2a_pushes_due ON a2a_pushes (next_at) WHERE NOT over;
