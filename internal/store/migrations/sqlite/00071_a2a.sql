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
CREATE INDEX a2a_messages_task ON a2a_messages (task);
