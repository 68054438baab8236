-- +goose Up
-- A session that is deleted takes its reminders that are over with it.
CREATE INDEX reminders_session ON reminders (session) WHERE session <> '';
