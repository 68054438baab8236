-- +goose Up
-- Who has done what, a row for each: ids and enums, and nothing that anybody said. The rows
-- outlive whom and what they are about.
CREATE TABLE audit (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    person  TEXT NOT NULL,
    via     TEXT NOT NULL DEFAULT '',
    door    TEXT NOT NULL DEFAULT '',
    what    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    whose   TEXT NOT NULL DEFAULT '',
    detail  TEXT NOT NULL DEFAULT ''
);
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_person ON audit (person, id);
