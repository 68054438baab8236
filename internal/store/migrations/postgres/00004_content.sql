-- +goose Up
-- What people send besides text, what their replies are about, and what they
-- took back.

-- inbox: the row of the message it came with. session: of the turn that took the
-- message; '': none has.
CREATE TABLE artifacts (
    id          TEXT COLLATE "C" PRIMARY KEY,
    inbox       BIGINT NOT NULL,
    idx         BIGINT NOT NULL,
    session_key TEXT NOT NULL,
    session     TEXT NOT NULL DEFAULT '',
    person      TEXT NOT NULL,
    voice       BOOLEAN NOT NULL,
    name        TEXT NOT NULL,
    type        TEXT NOT NULL, -- by its content
    size        BIGINT NOT NULL,
    sha256      TEXT NOT NULL, -- in hex
    created     BIGINT NOT NULL,
    data        BYTEA NOT NULL
);
CREATE INDEX artifacts_inbox ON artifacts (inbox, idx);
CREATE INDEX artifacts_session ON artifacts (session, created) WHERE session <> '';
CREATE INDEX artifacts_loose ON artifacts (created) WHERE session = '';

-- idx: where in the transcript the message is; its turn is the row's, its step
-- the one before the row's. note: what the agent is told of it besides. hearing:
-- unheard while a voice note of it is not written down, heard when its text
-- was spoken. reply_row: of the outbox, what it replies to; 0: to nothing of ours.
ALTER TABLE inbox ADD COLUMN idx BIGINT;
ALTER TABLE inbox ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox ADD COLUMN hearing TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox ADD COLUMN reply_row BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN deleted BOOLEAN NOT NULL DEFAULT FALSE; -- the person took it back
CREATE INDEX inbox_unheard ON inbox (session_key, id) WHERE hearing = 'unheard' AND turn IS NULL AND NOT superseded;

-- One for each part of what was sent.
CREATE TABLE receipts (
    channel    TEXT NOT NULL,
    account    TEXT NOT NULL, -- that sent it
    chat       TEXT NOT NULL,
    message_id TEXT NOT NULL, -- the platform's
    outbox     BIGINT NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
    PRIMARY KEY (channel, account, chat, message_id)
);
CREATE INDEX receipts_outbox ON receipts (outbox);
