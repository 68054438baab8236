-- +goose Up
-- Programs of people, such as their editors, that take requests under a name: see
-- registered_agents.go. seen is when one last showed that it is there.
CREATE TABLE registered_agents (
    person      TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    description TEXT   NOT NULL,
    created     BIGINT NOT NULL,
    seen        BIGINT NOT NULL,
    PRIMARY KEY (person, name)
);
-- What a remote agent was sent that is such a program waits in its row: offered_to is the
-- person whose it is ('': it is another system's), taken when the program last took it; 0: it
-- has not, or has let it go.
ALTER TABLE peer_tasks ADD COLUMN offered_to TEXT NOT NULL DEFAULT '';
ALTER TABLE peer_tasks ADD COLUMN taken BIGINT NOT NULL DEFAULT 0;
CREATE INDEX peer_tasks_offered ON peer_tasks (offered_to, agent, begun) WHERE offered_to <> '' AND state IN ('submitted', 'working');
