-- +goose Up
-- What agents mean to do, and how far they are: a JSON list of errand.Plan, of a session
-- one at most; '' where there is none. See plan.go.
ALTER TABLE tasks ADD COLUMN plan TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN plan TEXT NOT NULL DEFAULT '';
