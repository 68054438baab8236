-- +goose Up
-- Who works on this store, and by which Temporal namespace: see workers.go.
CREATE TABLE workers (
	id         TEXT   NOT NULL PRIMARY KEY,
	home       TEXT   NOT NULL, -- the machine and folder, which one process has at a time
	claim      TEXT   NOT NULL, -- of the namespace that it works by
	held_until BIGINT NOT NULL  -- microseconds
);
