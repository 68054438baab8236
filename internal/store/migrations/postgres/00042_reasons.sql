-- +goose Up
-- Why errand itself ended a task, as a code: people read it in their own language.

-- '': error has the words of somebody else, or is from before.
ALTER TABLE tasks ADD COLUMN reason TEXT NOT NULL DEFAULT '';
