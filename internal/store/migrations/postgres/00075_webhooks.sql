-- +goose Up
-- What programs are told over HTTP of the ends of tasks: a row waits for its task's end, is due
-- then, and ends as sent or failed. Its id is what receivers know it by.
CREATE TABLE webhooks (
    id       TEXT COLLATE "C" PRIMARY KEY,
    person   TEXT COLLATE "C" NOT NULL,
    task     TEXT COLLATE "C" NOT NULL,
    url      TEXT NOT NULL,
    state    TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error    TEXT NOT NULL DEFAULT '',
    created  BIGINT NOT NULL,
    due      BIGINT NOT NULL DEFAULT 0,
    ended    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX webhooks_task ON webhooks (task);
CREATE INDEX webhooks_due ON webhooks (id) WHERE state = 'due';
CREATE INDEX webhooks_person ON webhooks (person, created);

-- What a person's webhooks are signed with: it has to be read again, so it is no hash.
CREATE TABLE webhook_keys (
    person  TEXT COLLATE "C" PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
    key     TEXT NOT NULL,
    created BIGINT NOT NULL
);

-- Requests of programs that may come twice: the same key is the same task. body is a hash.
CREATE TABLE replays (
    person  TEXT COLLATE "C" NOT NULL,
    key     TEXT COLLATE "C" NOT NULL,
    body    TEXT NOT NULL,
    task    TEXT COLLATE "C" NOT NULL DEFAULT '',
    created BIGINT NOT NULL,
    PRIMARY KEY (person, key)
);
CREATE INDEX replays_task ON replays (task);
