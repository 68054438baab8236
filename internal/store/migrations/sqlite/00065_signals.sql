-- +goose Up
-- When the watchdog last signalled: of what is said to a task and that some agent of it has
-- not read, and that a deadline is over.
ALTER TABLE task_messages ADD COLUMN signalled BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN deadline_signalled BIGINT NOT NULL DEFAULT 0;
CREATE INDEX task_message_takes_message ON task_message_takes (message);
CREATE INDEX tasks_added ON tasks (id) WHERE added > 0 AND state IN ('submitted', 'working', 'input_required');

-- What was shown last in a chat: a loose word answers a question only while it is that.
CREATE INDEX outbox_chat_sent ON outbox (channel, account, chat, thread, id) WHERE state = 'sent' AND channel <> 'web';

-- The conversation in which a person has asked for the agent whose answer a row is, where
-- that is another one; '': none. It is told once the row is sent.
ALTER TABLE outbox ADD COLUMN source TEXT NOT NULL DEFAULT '';
UPDATE outbox SET source = COALESCE((SELECT json_extract(tasks.origin, '$.source') FROM tasks WHERE tasks.id = outbox.task), '')
    WHERE event = 'late' AND state IN ('pending', 'sending', 'unknown', 'blocked');
