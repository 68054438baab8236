-- +goose Up
-- Of a text in several parts those that have arrived.

-- While a row is open, receipts has the ids of the parts that have arrived. parts_by
-- is the account that sent them, parts how many there are. Empty and 0: not known.
ALTER TABLE outbox ADD COLUMN parts_by TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN parts BIGINT NOT NULL DEFAULT 0;
