-- +goose Up
-- By the person first: what has the chat alone is to find what nobody has taken yet, by
-- inbox_unclaimed, and not all that was ever written there.
DROP INDEX inbox_written;
CREATE INDEX inbox_written ON inbox (person, session_key, created);
