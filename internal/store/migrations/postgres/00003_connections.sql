-- +goose Up
-- Who holds the live connection of each of our accounts, and how it is.

-- owner holds it before held_until; '': nobody does. It is the same process for as
-- long as it holds it. state, detail and advice are what it says of it; link is
-- what a phone has to scan, a secret for as long as it is valid.
CREATE TABLE connections (
    channel    TEXT NOT NULL,
    account    TEXT NOT NULL,
    owner      TEXT NOT NULL DEFAULT '',
    held_until BIGINT NOT NULL DEFAULT 0,
    state      TEXT NOT NULL DEFAULT 'connecting',
    detail     TEXT NOT NULL DEFAULT '',
    advice     TEXT NOT NULL DEFAULT '',
    link       TEXT NOT NULL DEFAULT '',
    since      BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (channel, account)
);
