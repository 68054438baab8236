-- +goose Up
-- What tools do, and what they leave.

-- Calls of tools that must not run twice, from before they ran: see BeginTool.
CREATE TABLE begun_calls (
    owner TEXT NOT NULL,
    turn  BIGINT NOT NULL,
    step  BIGINT NOT NULL,
    idx   BIGINT NOT NULL,
    begun BIGINT NOT NULL,
    PRIMARY KEY (owner, turn, step, idx)
);

-- tool: whose result it is, too long for a model to be given; '': a person sent it.
-- root: of a tool's, where its task belongs to no session: the origin's root.
ALTER TABLE artifacts ADD COLUMN tool TEXT NOT NULL DEFAULT '';
ALTER TABLE artifacts ADD COLUMN root TEXT NOT NULL DEFAULT '';
CREATE INDEX artifacts_root ON artifacts (root) WHERE root <> '';
