-- +goose Up
-- Who has made a login before it was noted (see 00066) is not known: it may have been the
-- token of the installation, which approves nothing. So these approve nothing either until
-- their person logs in again.
UPDATE tokens SET program = TRUE WHERE kind = 'login' AND parent IS NULL;
