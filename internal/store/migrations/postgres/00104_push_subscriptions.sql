-- +goose Up
-- Browsers that are told of results while no page is open: see push_subscriptions.go. login is
-- the login of the browser, which this ends with; NULL: it had none, as who shows the owner's key.
CREATE TABLE push_subscriptions (
    id       TEXT COLLATE "C" PRIMARY KEY,
    person   TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    login    TEXT COLLATE "C" REFERENCES tokens (id) ON DELETE CASCADE,
    endpoint TEXT COLLATE "C" NOT NULL UNIQUE,
    p256dh   TEXT NOT NULL,
    auth     TEXT NOT NULL,
    label    TEXT NOT NULL,
    words    BOOLEAN NOT NULL DEFAULT FALSE,
    created  BIGINT NOT NULL,
    sent     BIGINT NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    error    TEXT NOT NULL DEFAULT ''
);
CREATE INDEX push_subscriptions_person ON push_subscriptions (person, created);
CREATE INDEX push_subscriptions_login ON push_subscriptions (login);

-- What one of them is to be told of yet: an event, which has the words. subscription may be
-- gone: the transaction that tells of a result does not fail because a browser leaves.
CREATE TABLE pushes (
    id           TEXT COLLATE "C" PRIMARY KEY,
    subscription TEXT COLLATE "C" NOT NULL,
    session_key  TEXT COLLATE "C" NOT NULL,
    event        BIGINT NOT NULL,
    created      BIGINT NOT NULL,
    UNIQUE (subscription, event)
);
CREATE INDEX pushes_session ON pushes (session_key);
