-- +goose Up
-- Who is known on one of our accounts of a platform is known on all of them; and
-- what somebody wrote before they were let in.

CREATE INDEX identities_external ON identities (channel, external_id);

-- address: from which a browser asks. more: they sent what was not kept.
ALTER TABLE pairings ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE pairings ADD COLUMN more BOOLEAN NOT NULL DEFAULT FALSE;

-- It goes when the request is denied or expires, and into the inbox when it is
-- approved.
CREATE TABLE pairing_messages (
    code       TEXT NOT NULL REFERENCES pairings (code) ON DELETE CASCADE,
    message_id TEXT NOT NULL, -- the platform's
    revision   BIGINT NOT NULL,
    text       TEXT NOT NULL,
    created    BIGINT NOT NULL,
    PRIMARY KEY (code, message_id)
);
