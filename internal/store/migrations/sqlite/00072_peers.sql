-- +goose Up
-- What remote agents were sent: see peers.go. peer_task is the id by which the peer knows it;
-- '': it has not said one. heard is when it last answered; 0: never.
CREATE TABLE peer_tasks (
    task      TEXT   NOT NULL,
    agent     TEXT   NOT NULL,
    peer_task TEXT   NOT NULL DEFAULT '',
    state     TEXT   NOT NULL DEFAULT 'submitted',
    begun     BIGINT NOT NULL,
    heard     BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (task, agent)
);
