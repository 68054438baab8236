-- +goose Up
-- When what can wait is held back from a person: '' as the installation says, 'off', or
-- 22:00-07:00 by the clocks of time_zone, which is the installation's where it is ''.
ALTER TABLE people ADD COLUMN quiet_hours TEXT NOT NULL DEFAULT '';
ALTER TABLE people ADD COLUMN time_zone TEXT NOT NULL DEFAULT '';

-- Until when an outcome, or a question that nobody has been shown, is held back; 0: it is
-- not. What the question shows is kept with it until then.
ALTER TABLE tasks ADD COLUMN held_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE questions ADD COLUMN held_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE questions ADD COLUMN held_text TEXT NOT NULL DEFAULT '';
CREATE INDEX tasks_held ON tasks (held_until) WHERE held_until > 0;
CREATE INDEX questions_held ON questions (held_until) WHERE held_until > 0;

-- Who has just written in a chat is awake.
CREATE INDEX inbox_written ON inbox (session_key, created);
