-- +goose Up
-- Artifacts as models are shown them: see pictures.go. fault is why one cannot be shown;
-- then there is no data. What people sent is in artifacts.
CREATE TABLE pictures (
    artifact TEXT COLLATE "C" PRIMARY KEY REFERENCES artifacts (id) ON DELETE CASCADE,
    type     TEXT NOT NULL,
    width    BIGINT NOT NULL, -- of data
    height   BIGINT NOT NULL,
    fault    TEXT NOT NULL,
    data     BYTEA NOT NULL
);
