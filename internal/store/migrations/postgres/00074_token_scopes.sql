-- +goose Up
-- scope is what a token is for, '': everything that its person may do, as those of before.
-- used is when it was last shown, to some minutes; 0: not since this is noted.
ALTER TABLE tokens ADD COLUMN scope TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN used BIGINT NOT NULL DEFAULT 0;
