-- +goose Up
-- What a person has done with a chat in their list: its name, '' for the first words of it,
-- and the event that they have seen last on the page. A chat without a row has none of that.
CREATE TABLE chats (
    session_key TEXT PRIMARY KEY,
    person      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    name        TEXT NOT NULL DEFAULT '',
    pinned      BOOLEAN NOT NULL DEFAULT FALSE,
    archived    BOOLEAN NOT NULL DEFAULT FALSE,
    seen        BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX chats_person ON chats (person);
