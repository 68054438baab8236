-- +goose Up
-- What goes with a task that a person gave by /team: a JSON errand.Briefing; '' with
-- every other. request names the mention that asked for it, once; '' with every other.
ALTER TABLE tasks ADD COLUMN briefing TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN request TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX tasks_request ON tasks (request) WHERE request <> '';
