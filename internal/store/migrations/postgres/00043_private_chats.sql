-- +goose Up
-- Whether others read a chat is known when a message has told it. Until then, a chat whose
-- address does not tell (Discord's) is a group's for what is private: one from before 00017
-- may be either.

-- private: by what the platform tells of this message, nobody else reads the chat.
ALTER TABLE inbox ADD COLUMN private BOOLEAN NOT NULL DEFAULT FALSE;
-- private: a message has told so.
ALTER TABLE sessions ADD COLUMN private BOOLEAN NOT NULL DEFAULT FALSE;
