-- +goose Up
-- What came with a message, as JSON: ids, names, types and sizes of artifacts; '' for none.
ALTER TABLE events ADD COLUMN attached TEXT NOT NULL DEFAULT '';
