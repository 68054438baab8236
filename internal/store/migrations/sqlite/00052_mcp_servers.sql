-- +goose Up
-- MCP servers, as the worker that runs each saw it last: see mcp_servers.go. tools is a
-- JSON list, changed is in microseconds.
CREATE TABLE mcp_servers (
    name    TEXT   NOT NULL PRIMARY KEY,
    worker  TEXT   NOT NULL,
    queue   TEXT   NOT NULL,
    state   TEXT   NOT NULL,
    reason  TEXT   NOT NULL,
    tools   TEXT   NOT NULL,
    changed BIGINT NOT NULL
);
