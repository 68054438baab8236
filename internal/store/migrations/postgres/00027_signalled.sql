-- +goose Up
-- When the watchdog last told a workflow of what waits for it, in microseconds; 0:
-- never. One that knows is not told again every minute: Temporal counts signals.
ALTER TABLE inbox ADD COLUMN signalled BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN signalled BIGINT NOT NULL DEFAULT 0;
