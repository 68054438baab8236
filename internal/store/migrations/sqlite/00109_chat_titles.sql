-- +goose Up
-- What a model has called a chat, '' where none has, and how often one was asked. It goes
-- with the words that it was made of. Not in chats: a chat without a row there was never
-- shown on the page, and has nothing unread.
CREATE TABLE chat_titles (
    session_key TEXT PRIMARY KEY,
    person      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    title       TEXT NOT NULL DEFAULT '',
    calls       BIGINT NOT NULL
);
CREATE INDEX chat_titles_person ON chat_titles (person);
