-- +goose Up
-- Whose name looks like another's is found without reading everybody's.

-- skeleton: the name as content.Skeleton folds it. NULL: not folded yet, which is done when
-- the store is opened. A change of that function sets all of them to NULL here.
ALTER TABLE people ADD COLUMN skeleton TEXT;
CREATE INDEX people_skeleton ON people (skeleton);
CREATE INDEX people_role ON people (role);
