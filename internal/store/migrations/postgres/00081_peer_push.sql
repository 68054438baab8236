-- +goose Up
-- The secret with which a peer may say that there is something new of a task: see PeerByPush.
ALTER TABLE peer_tasks ADD COLUMN push TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX peer_tasks_push ON peer_tasks (push) WHERE push <> '';
