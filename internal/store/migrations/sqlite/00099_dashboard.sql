-- +goose Up
-- What the pages of tasks and of usage look up: see task_count.go, task_steps.go and
-- outbox_task.go.
CREATE INDEX tasks_person_state ON tasks (person, state, agents);
CREATE INDEX outbox_task ON outbox (task) WHERE task <> '';
CREATE INDEX usage_owner ON usage (owner, turn, step);
