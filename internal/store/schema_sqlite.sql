-- The part for SQLite only. It runs after schema.sql.

-- Transcripts. A position is unique, so a step is written once. The word index refers to id.
CREATE TABLE messages (
    id        INTEGER PRIMARY KEY,
    owner     TEXT NOT NULL,
    turn      BIGINT NOT NULL,
    step      BIGINT NOT NULL,
    idx       BIGINT NOT NULL,
    speaker   TEXT NOT NULL, -- user, assistant or tool
    agent     TEXT NOT NULL DEFAULT '',
    text      TEXT NOT NULL,
    calls     TEXT NOT NULL DEFAULT '', -- JSON: its tool calls
    call_id   TEXT NOT NULL DEFAULT '', -- the call whose result it is
    own       TEXT NOT NULL DEFAULT '', -- a core.Own: whether errand wrote it in an agent's name
    result    TEXT NOT NULL DEFAULT '', -- of the step, if idx is 0
    state_for TEXT NOT NULL DEFAULT '', -- the provider, model and wire that state is for
    state     BLOB,                     -- the provider's state for the next request; never exported
    created   BIGINT NOT NULL,
    UNIQUE (owner, turn, step, idx)
);

-- The words of people's and agents' messages in sessions. With the column person, the index itself
-- limits a search to one person. With the prefixes of three letters, a search for the beginning of a
-- word reads from the end of the index, without sorting all matches.
CREATE VIRTUAL TABLE words USING fts5(text, person, content='', contentless_delete=1, prefix='3', tokenize='unicode61 remove_diacritics 2');
-- Maintenance merges the index in small parts, so that no turn waits for a merge.
INSERT INTO words (words, rank) VALUES ('automerge', 0);

-- An owner with a slash is a sub-agent. Its transcript is not indexed.
CREATE TRIGGER words_in AFTER INSERT ON messages WHEN new.speaker IN ('user', 'assistant') AND new.text <> '' AND instr(new.owner, '/') = 0
BEGIN
    INSERT INTO words (rowid, text, person) SELECT new.id, new.text, s.person FROM sessions s WHERE s.id = new.owner;
END;
CREATE TRIGGER words_out AFTER DELETE ON messages WHEN old.speaker IN ('user', 'assistant') AND old.text <> '' AND instr(old.owner, '/') = 0
BEGIN
    DELETE FROM words WHERE rowid = old.id;
END;
CREATE TRIGGER words_changed AFTER UPDATE OF text ON messages WHEN old.speaker IN ('user', 'assistant') AND instr(old.owner, '/') = 0
BEGIN
    DELETE FROM words WHERE rowid = old.id AND old.text <> '';
    INSERT INTO words (rowid, text, person) SELECT new.id, new.text, s.person FROM sessions s WHERE s.id = new.owner AND new.text <> '';
END;
