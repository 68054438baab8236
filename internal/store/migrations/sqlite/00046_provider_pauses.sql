-- +goose Up
-- Providers of models that asked not to be called before a time, for all workers: see
-- providers.go. provider is a hash of server, key and model; until is in microseconds.
CREATE TABLE provider_pauses (
    provider TEXT   NOT NULL PRIMARY KEY,
    until    BIGINT NOT NULL
);
