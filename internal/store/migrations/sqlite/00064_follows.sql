-- +goose Up
-- The decision that a task follows; '' with every other, and where its text has the
-- reasons in it.
ALTER TABLE tasks ADD COLUMN follows TEXT NOT NULL DEFAULT '';
