-- +goose Up
-- Whom programs want to be told, over A2A, when a task of their person asks something and when
-- it has ended: see a2a_pushes.go. What is told is a row of webhooks, whose push is the id here.
CREATE TABLE a2a_pushes (
    task        TEXT NOT NULL,
    id          TEXT NOT NULL,
    version     TEXT NOT NULL,
    base        TEXT NOT NULL,
    url         TEXT NOT NULL,
    token       TEXT NOT NULL DEFAULT '',
    scheme      TEXT NOT NULL DEFAULT '',
    credentials TEXT NOT NULL DEFAULT '',
    created     BIGINT NOT NULL,
    PRIMARY KEY (task, id)
);
ALTER TABLE webhooks ADD COLUMN push TEXT NOT NULL DEFAULT '';
