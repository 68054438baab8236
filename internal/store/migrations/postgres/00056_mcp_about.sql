-- +goose Up
-- What workers show of a server that another one runs: since when, the versions, what is
-- left out and which calls failed, as JSON of package mcpclient.
ALTER TABLE mcp_servers ADD COLUMN about TEXT NOT NULL DEFAULT '{}';
