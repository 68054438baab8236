-- +goose Up
-- The files that agents and people keep: see files.go.

-- place is the conversation whose agents share it, or the root of a tree of tasks that
-- was asked for in no chat; '' when its session is being deleted. session has it now.
-- bytes are those of all versions. last_version is the highest of any file that was
-- removed: a new file goes on behind it, so that no number means two things.
CREATE TABLE workspaces (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    place        TEXT NOT NULL,
    session      TEXT NOT NULL,
    files        BIGINT NOT NULL DEFAULT 0,
    bytes        BIGINT NOT NULL DEFAULT 0,
    last_version BIGINT NOT NULL DEFAULT 0,
    created      BIGINT NOT NULL,
    changed      BIGINT NOT NULL
);
CREATE UNIQUE INDEX workspaces_place ON workspaces (place) WHERE place <> '';
CREATE INDEX workspaces_session ON workspaces (session) WHERE session <> '';

-- folded is the path without regard to case: two files never differ by that alone.
CREATE TABLE files (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace BIGINT NOT NULL,
    path      TEXT NOT NULL,
    folded    TEXT NOT NULL,
    version   BIGINT NOT NULL, -- the current one
    UNIQUE (workspace, folded)
);

-- A version never changes. restores is the version whose content it has again; 0: new
-- content. session is the one it was written in.
CREATE TABLE file_versions (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace BIGINT NOT NULL,
    file      BIGINT NOT NULL,
    version   BIGINT NOT NULL,
    restores  BIGINT NOT NULL DEFAULT 0,
    latest    BOOLEAN NOT NULL, -- the current one of its file
    size      BIGINT NOT NULL,
    type      TEXT NOT NULL, -- by its content
    sha256    TEXT NOT NULL, -- in hex
    agent     TEXT NOT NULL,
    person    TEXT NOT NULL,
    owner     TEXT NOT NULL, -- of the turn that wrote it; '': a person did
    session   TEXT NOT NULL,
    created   BIGINT NOT NULL,
    UNIQUE (file, version)
);
CREATE INDEX file_versions_old ON file_versions (workspace, id) WHERE NOT latest;
CREATE INDEX file_versions_session ON file_versions (session) WHERE session <> '' AND NOT latest;

-- The content in pieces of at most 64 kB, so that a page is read without the rest.
CREATE TABLE file_chunks (
    version BIGINT NOT NULL, -- id of a row of file_versions
    idx     BIGINT NOT NULL,
    data    BLOB NOT NULL,
    PRIMARY KEY (version, idx)
);

-- What a call has changed: a second run of it changes nothing.
CREATE TABLE file_calls (
    call      TEXT NOT NULL PRIMARY KEY,
    workspace BIGINT NOT NULL,
    result    TEXT NOT NULL,
    created   BIGINT NOT NULL
);
CREATE INDEX file_calls_workspace ON file_calls (workspace);
