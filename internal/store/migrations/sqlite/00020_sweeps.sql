-- +goose Up
-- What a platform refuses and no conversation waits for: maintenance looks for it.
CREATE INDEX outbox_unwanted ON outbox (created) WHERE state = 'blocked' AND session_key = '';
