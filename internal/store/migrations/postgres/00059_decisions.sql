-- +goose Up
-- What a task is to decide: policy is an errand.Policy, deadline when it is decided with
-- what is there (0: never), branches JSON of what follows on the outcome. When it has
-- ended: decision is an errand.Answer, verdicts JSON of each agent's part in it,
-- followed_by the task that follows. See decision.go.
ALTER TABLE tasks ADD COLUMN policy TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN deadline BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN branches TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN decision TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN verdicts TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN followed_by TEXT NOT NULL DEFAULT '';
CREATE INDEX tasks_deadline ON tasks (deadline) WHERE deadline > 0 AND state IN ('submitted', 'working', 'input_required');

-- An agent's verdict; '' of a report that is not to be one. A report that is no verdict
-- has the state working until its agent, asked once more, has answered again.
ALTER TABLE reports ADD COLUMN verdict TEXT NOT NULL DEFAULT '';
ALTER TABLE reports ADD COLUMN confidence DOUBLE PRECISION NOT NULL DEFAULT 0;
