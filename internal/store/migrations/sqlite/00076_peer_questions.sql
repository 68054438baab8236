-- +goose Up
-- Which word of a peer's (errand.PeerTask.Word) its person was shown last, and when it had its
-- last answer; 0: never. See peer_questions.go.
ALTER TABLE peer_tasks ADD COLUMN asked TEXT NOT NULL DEFAULT '';
ALTER TABLE peer_tasks ADD COLUMN answered BIGINT NOT NULL DEFAULT 0;
