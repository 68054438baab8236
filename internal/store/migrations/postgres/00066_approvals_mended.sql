-- +goose Up
-- seal is what a yes has to name of arguments that a chat cuts, drawn at random; tries is how
-- often an approved call was started and began nowhere, and away what its chat is told when
-- that is given up; outcome is what a call came to whose turn had been interrupted. What is
-- open gets a seal: the one before could be computed. program says that a login was made by
-- the token of the installation: it approves nothing, as that does not.
ALTER TABLE questions ADD COLUMN seal TEXT NOT NULL DEFAULT '';
ALTER TABLE questions ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE questions ADD COLUMN away TEXT NOT NULL DEFAULT '';
ALTER TABLE questions ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN program BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE questions SET seal = SUBSTR(REPLACE(GEN_RANDOM_UUID()::text, '-', ''), 1, 8) WHERE kind = 'approval' AND state = 'open' AND cut;
