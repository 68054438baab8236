-- +goose Up
-- Of an edit that it is one, apart from its words.

-- Its earlier revision was taken by a turn: the agent is told, in a mark of errand's.
-- Rows from before have "(edited) " in front of their text.
ALTER TABLE inbox ADD COLUMN edited BOOLEAN NOT NULL DEFAULT FALSE;
