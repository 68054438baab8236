-- +goose Up
-- What a question in front of a tool call asks about, and how that call is carried out:
-- see approval.go. The index finds what was allowed for a session.
ALTER TABLE questions ADD COLUMN tool TEXT NOT NULL DEFAULT '';
ALTER TABLE questions ADD COLUMN arguments TEXT NOT NULL DEFAULT '';
ALTER TABLE questions ADD COLUMN arguments_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE questions ADD COLUMN for_session BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE questions ADD COLUMN cut BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE questions ADD COLUMN queue TEXT NOT NULL DEFAULT '';
ALTER TABLE questions ADD COLUMN timeout BIGINT NOT NULL DEFAULT 0;
CREATE INDEX questions_approved ON questions (session, tool) WHERE kind = 'approval' AND state = 'answered';
CREATE INDEX questions_approvals ON questions (owner, turn) WHERE kind = 'approval';
ALTER TABLE events ADD COLUMN question_kind TEXT NOT NULL DEFAULT '';
