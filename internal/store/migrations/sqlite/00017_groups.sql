-- +goose Up
-- What is written in a chat that others read, and what was written by somebody else.

-- in_group: others read the chat. forwarded: the person did not write it, but
-- passed it on; who did, as the platform tells.
ALTER TABLE inbox ADD COLUMN in_group BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE inbox ADD COLUMN forwarded BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE inbox ADD COLUMN forwarded_from TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN in_group BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE reminders ADD COLUMN in_group BOOLEAN NOT NULL DEFAULT FALSE;
-- Where the address tells. Of other chats it is known with their next message.
UPDATE sessions SET in_group = TRUE WHERE person = 'everyone' OR channel = 'telegram' AND chat LIKE '-%' OR channel = 'whatsapp' AND chat LIKE '%@g.us';
UPDATE inbox SET in_group = TRUE WHERE turn IS NULL AND (channel = 'telegram' AND chat LIKE '-%' OR channel = 'whatsapp' AND chat LIKE '%@g.us');
UPDATE reminders SET in_group = TRUE WHERE session_key LIKE '%/everyone' OR session_key LIKE 'session/telegram/%/-%/%/%' OR session_key LIKE 'session/whatsapp/%@g.us/%';
