-- +goose Up
-- What is said to tasks after they were delegated: see task_messages.go. key is that by
-- which it is said once. agent said it for the person; '': they did themselves.
-- continued_by is the task that goes on with it, where the task had ended; '': it is read
-- by the task's own agents.
CREATE TABLE task_messages (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    task         TEXT NOT NULL,
    key          TEXT NOT NULL UNIQUE,
    person       TEXT NOT NULL,
    agent        TEXT NOT NULL,
    role         TEXT NOT NULL,
    text         TEXT NOT NULL,
    created      BIGINT NOT NULL,
    continued_by TEXT NOT NULL DEFAULT ''
);
CREATE INDEX task_messages_task ON task_messages (task);

-- Which step of which agent has it in its transcript.
CREATE TABLE task_message_takes (
    owner   TEXT NOT NULL,
    message BIGINT NOT NULL,
    turn    BIGINT NOT NULL,
    step    BIGINT NOT NULL,
    PRIMARY KEY (owner, message)
);

-- added is how many rows of task_messages its agents read. continues is the task that it
-- goes on with, first the one that this began with.
ALTER TABLE tasks ADD COLUMN added BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN continues TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN first TEXT NOT NULL DEFAULT '';
