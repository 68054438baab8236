-- +goose Up
-- Until when the outcome of an approved call must be there whose turn was interrupted while
-- it ran; 0: none is waited for. What was interrupted before this and has none yet has an hour:
-- its agent was told that the call had begun, and nothing since, and an older worker may run it still.
ALTER TABLE questions ADD COLUMN outcome_by BIGINT NOT NULL DEFAULT 0;
CREATE INDEX questions_outcome ON questions (outcome_by) WHERE outcome_by > 0;
UPDATE questions SET outcome_by = CAST(unixepoch('subsec') * 1000000 AS INTEGER) + 3600000000 WHERE kind = 'approval' AND state = 'answered' AND told AND outcome = ''
    AND EXISTS (SELECT 1 FROM messages WHERE messages.owner = questions.owner AND messages.turn = questions.turn AND messages.step = questions.step AND messages.idx = questions.idx
        AND messages.text LIKE '%approval ' || questions.id || ': approved; % was begun%');

-- Which of our accounts has taken a call of colleagues in a group that several of them heard:
-- call is a hash of its task, and written when it was written, in seconds.
CREATE TABLE group_calls (
    channel TEXT NOT NULL,
    chat    TEXT NOT NULL,
    written BIGINT NOT NULL,
    call    TEXT NOT NULL,
    account TEXT NOT NULL,
    PRIMARY KEY (channel, chat, written, call)
);
CREATE INDEX group_calls_written ON group_calls (written);

-- Who decides about an approval and was written to of it, and where; lapsed is what they are
-- told there when it ends without a decision.
CREATE TABLE approval_deciders (
    question    TEXT NOT NULL REFERENCES questions (id) ON DELETE CASCADE,
    person      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    session_key TEXT NOT NULL,
    channel     TEXT NOT NULL,
    account     TEXT NOT NULL,
    chat        TEXT NOT NULL,
    thread      TEXT NOT NULL,
    lapsed      TEXT NOT NULL,
    PRIMARY KEY (question, person)
);
CREATE INDEX approval_deciders_person ON approval_deciders (person);
