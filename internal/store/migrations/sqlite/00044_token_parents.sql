-- +goose Up
-- What a token makes for its own person ends with it.

-- parent: the API token that a login, a link or a token was made by, itself or by a login of it.
-- NULL: something else made it, or it is from before.
ALTER TABLE tokens ADD COLUMN parent TEXT REFERENCES tokens (id) ON DELETE CASCADE;
CREATE INDEX tokens_parent ON tokens (parent);
