-- +goose Up
-- What became of the attempts at a model call.

-- attempts: how often the call was begun. counted: of how many of these what they
-- cost is booked. tried: for how long its model was tried, the pauses between
-- attempts included; time in which errand was away is not in it. Microseconds.
ALTER TABLE reservations ADD COLUMN attempts BIGINT NOT NULL DEFAULT 1;
ALTER TABLE reservations ADD COLUMN counted BIGINT NOT NULL DEFAULT 0;
ALTER TABLE reservations ADD COLUMN tried BIGINT NOT NULL DEFAULT 0;

-- trouble: why the model of a task does not answer just now; '': it does.
ALTER TABLE tasks ADD COLUMN trouble TEXT NOT NULL DEFAULT '';
