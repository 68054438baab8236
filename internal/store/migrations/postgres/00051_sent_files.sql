-- +goose Up
-- Files that agents send to people. sends is the id of the version, which is kept as long
-- as the row is, and 0 where none is sent; file says what it is, as JSON.
ALTER TABLE outbox ADD COLUMN sends BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN file TEXT NOT NULL DEFAULT '';
CREATE INDEX outbox_sends ON outbox (sends) WHERE sends <> 0;
ALTER TABLE events ADD COLUMN file TEXT NOT NULL DEFAULT '';
