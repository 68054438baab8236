-- +goose Up
-- The word by which an agent knows what errand itself says in its prompt. Empty: the
-- next step draws it.
ALTER TABLE sessions ADD COLUMN nonce TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN nonce TEXT NOT NULL DEFAULT '';
