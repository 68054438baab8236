-- What only SQLite has: it runs after schema.sql.

-- Transcripts. A row has its place once, so a step is written once. The index of words refers
-- to id.
CREATE TABLE messages (
    id        INTEGER PRIMARY KEY,
    owner     TEXT NOT NULL,
    turn      BIGINT NOT NULL,
    step      BIGINT NOT NULL,
    idx       BIGINT NOT NULL,
    speaker   TEXT NOT NULL, -- user, assistant or tool
    agent     TEXT NOT NULL DEFAULT '',
    text      TEXT NOT NULL,
    calls     TEXT NOT NULL DEFAULT '', -- the tool calls that it asks for, as JSON
    call_id   TEXT NOT NULL DEFAULT '', -- the call whose result it is
    own       TEXT NOT NULL DEFAULT '', -- an errand.Own: whether it is errand that speaks in an agent's name
    result    TEXT NOT NULL DEFAULT '', -- of the step, where idx is 0
    state_for TEXT NOT NULL DEFAULT '', -- the provider, model and wire that state is for
    state     BLOB,                     -- what the provider wants back with the next request; no export has it
    created   BIGINT NOT NULL,
    UNIQUE (owner, turn, step, idx)
);

-- What people and agents said in sessions, by word. The column person lets a search be narrowed
-- inside the index. The prefixes of three letters let a search for a beginning read from the end
-- of the index, without sorting all matches.
CREATE VIRTUAL TABLE words USING fts5(text, person, content='', contentless_delete=1, prefix='3', tokenize='unicode61 remove_diacritics 2');
-- Maintenance merges what was written, in small parts, so that no turn waits for it.
INSERT INTO words (words, rank) VALUES ('automerge', 0);

-- An owner with a slash is a sub-agent: its transcript is not searched.
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
