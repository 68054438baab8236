-- +goose Up
-- Which tools a turn has called, as JSON, of the event that is its end; '' for none.
ALTER TABLE events ADD COLUMN tools TEXT NOT NULL DEFAULT '';
