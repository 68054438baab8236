-- +goose Up
-- What peers say after whoever waited for it has ended: see peer_late.go. given_up is when a
-- peer that may go on was waited for no more; 0: it was not given up. said is the word
-- (errand.PeerTask.Word) with which it was last heard, next_at when it is looked at again once
-- nobody waits.
ALTER TABLE peer_tasks ADD COLUMN given_up BIGINT NOT NULL DEFAULT 0;
ALTER TABLE peer_tasks ADD COLUMN said TEXT NOT NULL DEFAULT '';
ALTER TABLE peer_tasks ADD COLUMN next_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX peer_tasks_open ON peer_tasks (next_at) WHERE peer_task <> '' AND state IN ('submitted', 'working', 'input_required');
-- A late answer is a task that has ended when it is made: what an agent's peer has said of
-- the task late_of, once of each kind.
ALTER TABLE tasks ADD COLUMN late_of TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN late_kind TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX tasks_late ON tasks (late_of, late_kind, agents) WHERE late_of <> '';
