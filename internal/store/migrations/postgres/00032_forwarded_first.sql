-- +goose Up
-- As of the inbox: what somebody forwards before they are let in is not theirs.
ALTER TABLE pairing_messages ADD COLUMN forwarded BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE pairing_messages ADD COLUMN forwarded_from TEXT NOT NULL DEFAULT '';
