-- +goose Up
-- Rates that several workers share: see rates.go. What is lost of it with a crash makes
-- everybody begin anew, as after a restart.

-- key is a hash: whom it is about is nobody's business. The bucket is full from full_at
-- on, in microseconds; each token that is missing then is one interval before it.
CREATE TABLE rates (
    key     TEXT   NOT NULL PRIMARY KEY,
    full_at BIGINT NOT NULL
);
CREATE INDEX rates_full ON rates (full_at);
