-- +goose Up
-- A message may be a command with more text behind it, which is for whoever leads
-- then: the row has that text, and what the command was answered.
ALTER TABLE inbox ADD COLUMN answer TEXT NOT NULL DEFAULT '';
