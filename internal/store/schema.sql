-- The tables of the store, alike on SQLite and PostgreSQL. The SQL is PostgreSQL's: schema.go
-- replaces the few words that SQLite does not know. schema_sqlite.sql and schema_postgres.sql have
-- what differs: the table messages and the search for words.
--
-- Times are microseconds since 1970, UTC; 0: never. '' means none. Lists and objects are JSON.
-- COLLATE "C" orders text by its bytes, as SQLite does: pages and ranges by such a column are
-- the same on both. SQLite would take NULL for a primary key without NOT NULL.
--
-- owner, turn and step name a step. owner is the id of a session or, for a sub-agent, the id of
-- its task, a slash and the name of the agent. idx is a position in the step. session_key names a
-- conversation, which has one session at a time.

-- --- The installation

-- Single values by key: the store's id, whether errand is paused, the handles of accounts, and others.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- The worker processes of this store, and the Temporal namespace that they use: see workers.go.
CREATE TABLE workers (
    id         TEXT NOT NULL PRIMARY KEY,
    home       TEXT NOT NULL, -- machine and data folder: one process uses it at a time
    claim      TEXT NOT NULL, -- of the namespace
    held_until BIGINT NOT NULL,
    since      BIGINT NOT NULL -- start of the current unbroken series of renewals
);

-- Runs of the Maintenance workflow; id is the run's id.
CREATE TABLE upkeep (
    id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    started  BIGINT NOT NULL,
    finished BIGINT NOT NULL DEFAULT 0,
    report   TEXT NOT NULL DEFAULT '' -- what was swept
);
CREATE INDEX upkeep_started ON upkeep (started);

-- --- People and identities

-- Known people.
CREATE TABLE people (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    skeleton    TEXT NOT NULL, -- the name folded by content.Skeleton, to find similar names
    role        TEXT NOT NULL,
    language    TEXT NOT NULL DEFAULT '', -- BCP 47; '': the installation's
    time_zone   TEXT NOT NULL DEFAULT '', -- IANA; '': the installation's
    last_agent  TEXT NOT NULL DEFAULT '', -- the specialist that they last talked with
    created     BIGINT NOT NULL
);
CREATE INDEX people_skeleton ON people (skeleton);
CREATE INDEX people_role ON people (role);

-- People's ids on channels. An id on an account belongs to one person. account '': every account of the channel.
CREATE TABLE identities (
    channel     TEXT NOT NULL,
    account     TEXT NOT NULL,
    external_id TEXT NOT NULL,
    person      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    name        TEXT NOT NULL DEFAULT '',
    created     BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (channel, account, external_id)
);
CREATE INDEX identities_person ON identities (person);
CREATE INDEX identities_external ON identities (channel, external_id);

-- Tokens of programs and browsers. hash is the SHA-256 of the token, in hex: the token itself is shown once and not
-- stored.
CREATE TABLE tokens (
    id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    hash    TEXT NOT NULL UNIQUE,
    person  TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL, -- api, login or link
    name    TEXT NOT NULL,
    parent  TEXT COLLATE "C" REFERENCES tokens (id) ON DELETE CASCADE, -- the API token that made it; deleted together
    program BOOLEAN NOT NULL DEFAULT FALSE, -- made with the installation's token: it approves nothing
    scope   TEXT NOT NULL DEFAULT '', -- '': everything that its person may do
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL DEFAULT 0,
    used    BIGINT NOT NULL DEFAULT 0 -- its last use, to some minutes
);
CREATE INDEX tokens_person ON tokens (person);
CREATE INDEX tokens_parent ON tokens (parent);

-- Pairing requests of unknown senders.
CREATE TABLE pairings (
    code        TEXT NOT NULL PRIMARY KEY,
    channel     TEXT NOT NULL,
    account     TEXT NOT NULL,
    external_id TEXT NOT NULL,
    other_ids   TEXT NOT NULL DEFAULT '', -- JSON list: further ids of the same sender
    name        TEXT NOT NULL,
    language    TEXT NOT NULL,
    chat        TEXT NOT NULL, -- the chat for the welcome
    thread      TEXT NOT NULL,
    address     TEXT NOT NULL DEFAULT '', -- of the browser that asks
    token_hash  TEXT NOT NULL DEFAULT '', -- of the browser's login, once approved
    state       TEXT NOT NULL, -- pending, approved or denied
    created     BIGINT NOT NULL,
    expires     BIGINT NOT NULL,
    more        BOOLEAN NOT NULL DEFAULT FALSE, -- they sent more than was stored
    decided     BIGINT NOT NULL DEFAULT 0,
    decided_by  TEXT NOT NULL DEFAULT '',
    person      TEXT NOT NULL DEFAULT '' -- set by the approval
);
CREATE UNIQUE INDEX pairings_pending ON pairings (channel, account, external_id) WHERE state = 'pending'; -- a sender has one open request
CREATE INDEX pairings_token ON pairings (token_hash) WHERE token_hash <> '';

-- Messages of senders who are not paired yet. Denial and expiry delete them, approval moves them to the inbox.
CREATE TABLE pairing_messages (
    code           TEXT NOT NULL REFERENCES pairings (code) ON DELETE CASCADE,
    message_id     TEXT NOT NULL, -- the platform's
    revision       BIGINT NOT NULL,
    text           TEXT NOT NULL,
    created        BIGINT NOT NULL,
    forwarded      BOOLEAN NOT NULL DEFAULT FALSE,
    forwarded_from TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (code, message_id)
);

-- Refused senders, one row per sender, for the operator.
CREATE TABLE refusals (
    channel     TEXT NOT NULL,
    account     TEXT NOT NULL,
    external_id TEXT NOT NULL,
    name        TEXT NOT NULL,
    reason      TEXT NOT NULL,
    times       BIGINT NOT NULL,
    first       BIGINT NOT NULL,
    last        BIGINT NOT NULL,
    PRIMARY KEY (channel, account, external_id)
);

-- --- Sessions and their messages

-- Conversations, each in one chat.
CREATE TABLE sessions (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    key          TEXT COLLATE "C" NOT NULL,
    channel      TEXT NOT NULL,
    account      TEXT NOT NULL,
    chat         TEXT NOT NULL,
    thread       TEXT NOT NULL,
    person       TEXT NOT NULL,
    agent        TEXT NOT NULL,
    state        TEXT NOT NULL,
    busy         TEXT NOT NULL DEFAULT '', -- collect, steer, queue or interrupt: what happens to messages while an agent works
    turns        BIGINT NOT NULL DEFAULT 0,
    sticky_until BIGINT NOT NULL DEFAULT 0, -- when the primary agent takes over again
    proposal     TEXT NOT NULL DEFAULT '', -- the agent that was proposed
    in_group     BOOLEAN NOT NULL DEFAULT FALSE, -- other people read the chat
    private      BOOLEAN NOT NULL DEFAULT FALSE, -- a message has shown that no one else reads the chat
    nonce        TEXT NOT NULL DEFAULT '', -- marks errand's own text in prompts
    plan         TEXT NOT NULL DEFAULT '', -- a JSON list of core.Plan
    created      BIGINT NOT NULL,
    active       BIGINT NOT NULL,
    ended        BIGINT NOT NULL DEFAULT 0,
    reason       TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX sessions_current ON sessions (key) WHERE state <> 'ended'; -- a conversation has one session that has not ended
CREATE INDEX sessions_person ON sessions (person, active);
CREATE INDEX sessions_active ON sessions (active);
CREATE INDEX sessions_channel ON sessions (channel, active);
CREATE INDEX sessions_agent ON sessions (agent, active);
CREATE INDEX sessions_state ON sessions (state, active);
CREATE INDEX sessions_key ON sessions (key, active);
CREATE INDEX sessions_deleted ON sessions (id) WHERE reason = 'deleted'; -- to be removed

-- Turns: from a message, or another cause, to the final reply.
CREATE TABLE turns (
    owner        TEXT NOT NULL,
    turn         BIGINT NOT NULL,
    conversation TEXT NOT NULL, -- the key that its transactions lock: see tx.go
    cause        TEXT NOT NULL,
    root         TEXT NOT NULL, -- the key of the budget of its tree of tasks
    person       TEXT NOT NULL,
    role         TEXT NOT NULL,
    reply_to     TEXT NOT NULL,
    open         BOOLEAN NOT NULL,
    replied      BOOLEAN NOT NULL DEFAULT FALSE,
    reason       TEXT NOT NULL DEFAULT '',
    created      BIGINT NOT NULL,
    closed       BIGINT NOT NULL DEFAULT 0,
    growing      TEXT NOT NULL DEFAULT '', -- the platform's id of the message that shows the reply while the model writes it
    grown        BIGINT NOT NULL DEFAULT 0, -- how many other rows of the outbox have come below that message: the next one has another key
    PRIMARY KEY (owner, turn)
);
CREATE INDEX turns_open ON turns (owner, turn) WHERE open;

-- Accepted messages. A revision of a platform's message is accepted once. turn is NULL until a turn takes the row; then owner,
-- turn, step and idx are the position of its text in the transcript.
CREATE TABLE inbox (
    id             BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    session_key    TEXT NOT NULL,
    channel        TEXT NOT NULL,
    account        TEXT NOT NULL,
    chat           TEXT NOT NULL,
    message_id     TEXT NOT NULL,
    revision       BIGINT NOT NULL,
    cause          TEXT NOT NULL DEFAULT 'message', -- message, command or reminder
    person         TEXT NOT NULL DEFAULT '', -- the writer, in a shared session; '': the session's person
    role           TEXT NOT NULL,
    reply_to       TEXT NOT NULL,
    reply_row      BIGINT NOT NULL DEFAULT 0, -- the outbox row to which it replies; 0: none
    text           TEXT NOT NULL,
    note           TEXT NOT NULL DEFAULT '', -- errand's note to the agent
    answer         TEXT NOT NULL DEFAULT '', -- errand's answer to its command; text follows the command
    hearing        TEXT NOT NULL DEFAULT '', -- unheard: a voice note waits for its transcript; heard: text includes the transcript
    tools          TEXT NOT NULL DEFAULT '', -- JSON: tools of the program that sent it
    in_group       BOOLEAN NOT NULL DEFAULT FALSE,
    private        BOOLEAN NOT NULL DEFAULT FALSE, -- according to the platform, no one else reads the chat
    forwarded      BOOLEAN NOT NULL DEFAULT FALSE,
    forwarded_from TEXT NOT NULL DEFAULT '', -- the author, according to the platform
    edited         BOOLEAN NOT NULL DEFAULT FALSE, -- a turn has taken an earlier revision
    superseded     BOOLEAN NOT NULL DEFAULT FALSE, -- no turn takes it: it is a command, or an edit has replaced it
    deleted        BOOLEAN NOT NULL DEFAULT FALSE, -- the person deleted it
    place          BIGINT, -- the id of the row that this edit replaces
    owner          TEXT,
    turn           BIGINT,
    step           BIGINT,
    idx            BIGINT,
    signalled      BIGINT NOT NULL DEFAULT 0, -- when the watchdog last signaled its workflow
    created        BIGINT NOT NULL,
    UNIQUE (channel, account, chat, message_id, revision)
);
CREATE INDEX inbox_unclaimed ON inbox (session_key, id) WHERE turn IS NULL AND NOT superseded;
CREATE INDEX inbox_claimed ON inbox (owner, turn, step) WHERE turn IS NOT NULL;
CREATE INDEX inbox_superseded ON inbox (created) WHERE superseded;
CREATE INDEX inbox_unheard ON inbox (session_key, id) WHERE hearing = 'unheard' AND turn IS NULL AND NOT superseded;
CREATE INDEX inbox_written ON inbox (person, session_key, created);

-- Summaries of transcripts up to and including a step.
CREATE TABLE summaries (
    owner   TEXT NOT NULL,
    turn    BIGINT NOT NULL,
    step    BIGINT NOT NULL,
    text    TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (owner, turn, step)
);

-- Tool calls that have begun: see BeginTool. A row is written before the tool runs.
CREATE TABLE begun_calls (
    owner TEXT NOT NULL,
    turn  BIGINT NOT NULL,
    step  BIGINT NOT NULL,
    idx   BIGINT NOT NULL,
    begun BIGINT NOT NULL,
    once  BOOLEAN NOT NULL, -- the tool must not run twice
    starts   BIGINT NOT NULL DEFAULT 1,
    returned BIGINT NOT NULL DEFAULT 0, -- starts that a worker gave back
    PRIMARY KEY (owner, turn, step, idx)
);

-- Tool calls that ended a turn and that a program carries out: see client_calls.go.
CREATE TABLE client_calls (
    id          TEXT NOT NULL PRIMARY KEY,
    session_key TEXT NOT NULL,
    owner       TEXT NOT NULL,
    turn        BIGINT NOT NULL,
    step        BIGINT NOT NULL,
    idx         BIGINT NOT NULL,
    call_id     TEXT NOT NULL, -- the call's id in the transcript
    name        TEXT NOT NULL,
    state       TEXT NOT NULL, -- open, unanswered (the conversation went on), answered, or late (answered after it was unanswered)
    inbox       BIGINT NOT NULL DEFAULT 0, -- the message that brought the output
    output      TEXT NOT NULL DEFAULT '', -- until a turn takes it
    created     BIGINT NOT NULL
);
CREATE INDEX client_calls_owner ON client_calls (owner, turn);
CREATE INDEX client_calls_inbox ON client_calls (inbox) WHERE inbox <> 0;

-- Answers on which providers still work: see step_pending.go. If the turn of a row is closed, errand cancels the answer at the provider.
CREATE TABLE pending_responses (
    owner    TEXT NOT NULL,
    turn     BIGINT NOT NULL,
    step     BIGINT NOT NULL,
    provider TEXT NOT NULL,
    response TEXT NOT NULL, -- the provider's id
    prompt   TEXT NOT NULL, -- a hash of the prompt
    created  BIGINT NOT NULL,
    PRIMARY KEY (owner, turn, step)
);

-- Settings of chats in a person's list. A chat without a row was never shown on the page.
CREATE TABLE chats (
    session_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    person      TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    name        TEXT NOT NULL DEFAULT '', -- '': the chat shows its title or its first words
    pinned      BOOLEAN NOT NULL DEFAULT FALSE,
    archived    BOOLEAN NOT NULL DEFAULT FALSE,
    seen        BIGINT NOT NULL DEFAULT 0 -- the last event that the person has seen on the page
);
CREATE INDEX chats_person ON chats (person);

-- Titles that models gave to chats: see chat_titles.go.
CREATE TABLE chat_titles (
    session_key TEXT NOT NULL PRIMARY KEY,
    person      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    title       TEXT NOT NULL DEFAULT '',
    calls       BIGINT NOT NULL -- number of model calls
);
CREATE INDEX chat_titles_person ON chat_titles (person);

-- The account that took a message in a group with several accounts: see group_calls.go. One account takes it.
CREATE TABLE group_calls (
    channel TEXT NOT NULL,
    chat    TEXT NOT NULL,
    written BIGINT NOT NULL, -- by the platform's clock, in seconds
    call    TEXT NOT NULL, -- a hash of its task
    account TEXT NOT NULL,
    PRIMARY KEY (channel, chat, written, call)
);
CREATE INDEX group_calls_written ON group_calls (written);

-- --- Tasks

-- Delegated work. A tool call delegates once (see tasks_caller).
CREATE TABLE tasks (
    id                 TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    state              TEXT NOT NULL,
    agents             TEXT NOT NULL,
    from_agent         TEXT NOT NULL,
    text               TEXT NOT NULL,
    title              TEXT NOT NULL,
    fingerprint        TEXT NOT NULL, -- a hash of agents and text: a turn delegates the same work once
    origin             TEXT NOT NULL, -- a core.Origin, as JSON; person, session_key and session repeat parts of it for indexes
    person             TEXT NOT NULL,
    session_key        TEXT NOT NULL,
    session            TEXT NOT NULL,
    source             TEXT NOT NULL DEFAULT '', -- the conversation of the request, if another one gets the outcome
    depth              BIGINT NOT NULL,
    conversation       TEXT NOT NULL, -- the key that its transactions lock: see tx.go
    parent             TEXT NOT NULL DEFAULT '',
    retry_of           TEXT NOT NULL DEFAULT '',
    continues          TEXT NOT NULL DEFAULT '', -- the task that it continues
    first              TEXT NOT NULL DEFAULT '', -- the first task of this chain
    follows            TEXT NOT NULL DEFAULT '', -- the decision that it follows
    late_of            TEXT NOT NULL DEFAULT '', -- the task after whose end the peer sent this
    late_for           TEXT COLLATE "C" NOT NULL DEFAULT '', -- the sub-agent of the task in the tree that the person has seen
    late_kind          TEXT NOT NULL DEFAULT '',
    request            TEXT NOT NULL DEFAULT '', -- the mention that requested it
    briefing           TEXT NOT NULL DEFAULT '', -- JSON, a core.Briefing, for a task made by /team
    caller_owner       TEXT NOT NULL DEFAULT '', -- the tool call that delegated it
    caller_turn        BIGINT NOT NULL DEFAULT 0,
    caller_step        BIGINT NOT NULL DEFAULT 0,
    caller_idx         BIGINT NOT NULL DEFAULT 0,
    waits              BOOLEAN NOT NULL DEFAULT FALSE, -- the turn waits for it
    nonce              TEXT NOT NULL DEFAULT '', -- as in sessions
    plan               TEXT NOT NULL DEFAULT '', -- a JSON list of core.Plan
    policy             TEXT NOT NULL DEFAULT '', -- a core.Policy
    deadline           BIGINT NOT NULL DEFAULT 0, -- when it is decided with the verdicts it has
    branches           TEXT NOT NULL DEFAULT '', -- JSON: the tasks that follow each decision
    decision           TEXT NOT NULL DEFAULT '', -- a core.Answer
    verdicts           TEXT NOT NULL DEFAULT '', -- JSON: each agent's part in the decision
    followed_by        TEXT NOT NULL DEFAULT '', -- the task that follows its decision
    result             TEXT NOT NULL DEFAULT '',
    error              TEXT NOT NULL DEFAULT '',
    reason             TEXT NOT NULL DEFAULT '', -- a code, if errand itself ended it; '': error has another author's words
    trouble            TEXT NOT NULL DEFAULT '', -- why its model does not answer at present
    way                TEXT NOT NULL DEFAULT '', -- how its outcome is delivered, decided once: turn, fold, notification or none
    told_by            TEXT NOT NULL DEFAULT '', -- the key of the outbox row that reported it
    told_step          BIGINT NOT NULL DEFAULT 0, -- the step that folded it in
    read               BIGINT NOT NULL DEFAULT 0, -- when an agent of the person read an outcome that was delivered without it
    added              BIGINT NOT NULL DEFAULT 0, -- number of its rows in task_messages
    model_calls        BIGINT NOT NULL DEFAULT 0,
    tokens             BIGINT NOT NULL DEFAULT 0,
    cached_tokens      BIGINT NOT NULL DEFAULT 0,
    cost               DOUBLE PRECISION NOT NULL DEFAULT 0,
    signalled          BIGINT NOT NULL DEFAULT 0, -- when the watchdog last signaled its end
    deadline_signalled BIGINT NOT NULL DEFAULT 0, -- when the watchdog last signaled its deadline
    created            BIGINT NOT NULL,
    finished           BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX tasks_caller ON tasks (caller_owner, caller_turn, caller_step, caller_idx) WHERE caller_owner <> '';
CREATE INDEX tasks_parent ON tasks (parent) WHERE parent <> '';
CREATE INDEX tasks_created ON tasks (created);
CREATE INDEX tasks_person ON tasks (person, created);
CREATE INDEX tasks_session ON tasks (session_key, created);
CREATE INDEX tasks_source ON tasks (source, created) WHERE source <> '';
CREATE INDEX tasks_told_by ON tasks (told_by) WHERE told_by <> '';
CREATE INDEX tasks_open ON tasks (session, created) WHERE state IN ('submitted', 'working', 'input_required');
CREATE INDEX tasks_untold ON tasks (session_key, finished) WHERE way = '' AND state IN ('completed', 'failed', 'canceled', 'rejected');
CREATE INDEX tasks_of_session ON tasks (session);
CREATE INDEX tasks_unread ON tasks (person, finished) WHERE read = 0 AND way IN ('notification', 'none');
CREATE INDEX tasks_deadline ON tasks (deadline) WHERE deadline > 0 AND state IN ('submitted', 'working', 'input_required');
CREATE UNIQUE INDEX tasks_request ON tasks (request) WHERE request <> ''; -- a mention delegates once
CREATE INDEX tasks_added ON tasks (id) WHERE added > 0 AND state IN ('submitted', 'working', 'input_required');
CREATE UNIQUE INDEX tasks_late ON tasks (late_of, late_kind, agents) WHERE late_of <> ''; -- each kind of late answer is delivered once
CREATE INDEX tasks_person_state ON tasks (person, state, agents);

-- The agents' reports on a task. If a report must be a verdict and is not one, its state is working until
-- the agent has answered again.
CREATE TABLE reports (
    task       TEXT NOT NULL,
    agent      TEXT NOT NULL,
    state      TEXT NOT NULL,
    text       TEXT NOT NULL,
    created    BIGINT NOT NULL,
    verdict    TEXT NOT NULL DEFAULT '',
    confidence DOUBLE PRECISION NOT NULL DEFAULT 0,
    PRIMARY KEY (task, agent)
);

-- Messages that were added to a task after its delegation: see task_messages.go.
CREATE TABLE task_messages (
    id           BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    task         TEXT NOT NULL,
    key          TEXT NOT NULL UNIQUE, -- unique, so that it is added once
    person       TEXT NOT NULL,
    agent        TEXT NOT NULL, -- the agent that sent it for the person; '': none
    role         TEXT NOT NULL,
    text         TEXT NOT NULL,
    created      BIGINT NOT NULL,
    continued_by TEXT NOT NULL DEFAULT '', -- the task that continues this one, if this one had ended; '': its own agents read it
    signalled    BIGINT NOT NULL DEFAULT 0 -- when the watchdog last signaled it
);
CREATE INDEX task_messages_task ON task_messages (task);

-- The steps that took messages: each agent takes a message once.
CREATE TABLE task_message_takes (
    owner   TEXT NOT NULL,
    message BIGINT NOT NULL, -- a row of task_messages
    turn    BIGINT NOT NULL,
    step    BIGINT NOT NULL,
    PRIMARY KEY (owner, message)
);
CREATE INDEX task_message_takes_message ON task_message_takes (message);

-- --- Questions

-- Questions to people: see questions.go. The key of the asking call is unique, so a repeated commit of a step asks nothing twice.
CREATE TABLE questions (
    id             TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind           TEXT NOT NULL,
    state          TEXT NOT NULL, -- open, answered, declined, expired or withdrawn
    conversation   TEXT NOT NULL, -- the key that its transactions lock: see tx.go
    session_key    TEXT NOT NULL, -- of the chat in which it was asked
    session        TEXT NOT NULL,
    channel        TEXT NOT NULL,
    account        TEXT NOT NULL,
    chat           TEXT NOT NULL,
    thread         TEXT NOT NULL,
    task           TEXT NOT NULL, -- '': the session's own agent asks
    agent          TEXT NOT NULL,
    owner          TEXT NOT NULL,
    turn           BIGINT NOT NULL,
    step           BIGINT NOT NULL,
    idx            BIGINT NOT NULL, -- 0: the reply of the turn asks
    person         TEXT NOT NULL,
    text           TEXT NOT NULL,
    options        TEXT NOT NULL,
    answer_schema  TEXT NOT NULL,
    tool           TEXT NOT NULL DEFAULT '',
    arguments      TEXT NOT NULL DEFAULT '',
    arguments_hash TEXT NOT NULL DEFAULT '', -- an approval covers these arguments only
    cut            BOOLEAN NOT NULL DEFAULT FALSE, -- the chat shows shortened arguments
    seal           TEXT NOT NULL DEFAULT '', -- random text that an approval of shortened arguments must repeat
    for_session    BOOLEAN NOT NULL DEFAULT FALSE, -- the approval covers the whole session
    queue          TEXT NOT NULL DEFAULT '', -- the task queue of the tool
    timeout        BIGINT NOT NULL DEFAULT 0, -- of one run of the tool
    answer         TEXT NOT NULL DEFAULT '',
    answered_by    TEXT NOT NULL DEFAULT '',
    answered_as    TEXT NOT NULL DEFAULT '', -- the agent that answered for the person
    answered_in    TEXT NOT NULL DEFAULT '', -- the channel
    created        BIGINT NOT NULL,
    expires        BIGINT NOT NULL,
    answered       BIGINT NOT NULL DEFAULT 0, -- when it was closed
    next_at        BIGINT NOT NULL, -- when its next reminder or its expiry is due
    reminded       BIGINT NOT NULL DEFAULT 0, -- number of reminders
    told           BOOLEAN NOT NULL DEFAULT FALSE, -- its agent knows the answer
    signalled      BIGINT NOT NULL DEFAULT 0, -- when the watchdog last signaled its end
    tries          INTEGER NOT NULL DEFAULT 0, -- how often an approved call was started without a worker that began it
    away           TEXT NOT NULL DEFAULT '', -- the notice in the chat when errand gives that up
    outcome        TEXT NOT NULL DEFAULT '', -- of an approved call whose turn was interrupted
    outcome_by     BIGINT NOT NULL DEFAULT 0, -- when errand gives up waiting for that outcome
    UNIQUE (owner, turn, step, idx)
);
CREATE INDEX questions_open ON questions (person, created) WHERE state = 'open';
CREATE INDEX questions_chat ON questions (session_key, created) WHERE state = 'open';
CREATE INDEX questions_due ON questions (next_at) WHERE state = 'open';
CREATE INDEX questions_untold ON questions (answered) WHERE NOT told AND state <> 'open';
CREATE INDEX questions_task ON questions (task) WHERE task <> '';
CREATE INDEX questions_session ON questions (session) WHERE session <> '';
CREATE INDEX questions_approved ON questions (session, tool) WHERE kind = 'approval' AND state = 'answered';
CREATE INDEX questions_approvals ON questions (owner, turn) WHERE kind = 'approval';
CREATE INDEX questions_outcome ON questions (outcome_by) WHERE outcome_by > 0;

-- The people who were asked to approve, and their chats: each is asked once.
CREATE TABLE approval_deciders (
    question    TEXT NOT NULL REFERENCES questions (id) ON DELETE CASCADE,
    person      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    session_key TEXT NOT NULL,
    channel     TEXT NOT NULL,
    account     TEXT NOT NULL,
    chat        TEXT NOT NULL,
    thread      TEXT NOT NULL,
    lapsed      TEXT NOT NULL, -- the notice if the approval ends without a decision
    PRIMARY KEY (question, person)
);
CREATE INDEX approval_deciders_person ON approval_deciders (person);

-- --- Outgoing messages

-- Messages to send, with their state. key makes each message unique. Platforms that accept an
-- idempotency key get it with restored.
CREATE TABLE outbox (
    id            BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    key           TEXT NOT NULL UNIQUE,
    channel       TEXT NOT NULL,
    account       TEXT NOT NULL,
    chat          TEXT NOT NULL,
    thread        TEXT NOT NULL,
    session_key   TEXT NOT NULL,
    agent         TEXT NOT NULL,
    task          TEXT NOT NULL,
    event         TEXT NOT NULL,
    text          TEXT NOT NULL,
    options       TEXT NOT NULL DEFAULT '', -- JSON: the answers that a question offers
    file          TEXT NOT NULL DEFAULT '', -- JSON: the file that it sends
    sends         BIGINT NOT NULL DEFAULT 0, -- the id of the file version that it sends; the version is kept as long as the row
    question      TEXT NOT NULL DEFAULT '',
    source        TEXT NOT NULL DEFAULT '', -- the conversation in which the person requested this
    reply_to      TEXT NOT NULL,
    replaces      TEXT NOT NULL DEFAULT '', -- the platform's id of the message that its delivery edits
    made_by       TEXT NOT NULL, -- the owner and turn that made it
    made_turn     BIGINT NOT NULL,
    state         TEXT NOT NULL, -- pending, sending, sent, unknown, blocked or dismissed
    sending_until BIGINT NOT NULL DEFAULT 0,
    sending_by    TEXT NOT NULL DEFAULT '', -- the worker that sends it until then, unless it dies
    not_before    BIGINT NOT NULL DEFAULT 0, -- the platform requested to wait until then
    attempts      BIGINT NOT NULL DEFAULT 0,
    error         TEXT NOT NULL DEFAULT '',
    reopened      BOOLEAN NOT NULL DEFAULT FALSE, -- it was blocked, and is sent once more
    doubt         BOOLEAN NOT NULL DEFAULT FALSE, -- it may have arrived before it was blocked or dismissed
    receipts      TEXT NOT NULL DEFAULT '', -- JSON: the platform's ids of the parts that arrived
    parts         BIGINT NOT NULL DEFAULT 0, -- number of parts
    parts_by      TEXT NOT NULL DEFAULT '', -- the account that sent them
    restored      BIGINT NOT NULL DEFAULT 0, -- when the store was last restored before this row was made: part of the platform's key
    repeats       BOOLEAN NOT NULL DEFAULT FALSE, -- it tells what may have been told between the backup and the restoration
    created       BIGINT NOT NULL,
    sent_at       BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX outbox_open ON outbox (channel, account, chat, thread, id) WHERE state IN ('pending', 'sending', 'unknown');
CREATE INDEX outbox_sending ON outbox (sending_by) WHERE state = 'sending';
CREATE INDEX outbox_made ON outbox (made_by, made_turn) WHERE state = 'pending';
CREATE INDEX outbox_of_turn ON outbox (made_by);
CREATE INDEX outbox_sent ON outbox (created) WHERE state IN ('sent', 'dismissed');
CREATE INDEX outbox_blocked ON outbox (channel, account, chat, thread, id) WHERE state = 'blocked' AND NOT reopened;
CREATE INDEX outbox_unwanted ON outbox (created) WHERE state = 'blocked' AND session_key = '';
CREATE INDEX outbox_sends ON outbox (sends) WHERE sends <> 0;
CREATE INDEX outbox_chat_sent ON outbox (channel, account, chat, thread, id) WHERE state = 'sent' AND channel <> 'web';
CREATE INDEX outbox_task ON outbox (task) WHERE task <> '';

-- The platform's ids of the parts of sent messages, to find the message to which a person replies.
CREATE TABLE receipts (
    channel    TEXT NOT NULL,
    account    TEXT NOT NULL, -- that sent the message
    chat       TEXT NOT NULL,
    message_id TEXT NOT NULL,
    outbox     BIGINT NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
    PRIMARY KEY (channel, account, chat, message_id)
);
CREATE INDEX receipts_outbox ON receipts (outbox);

-- Messages sent to a chat outside the turns of its session: the next turn there adds them to its transcript, once.
CREATE TABLE told_apart (
    session_key TEXT NOT NULL,
    outbox      BIGINT NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
    session     TEXT NOT NULL DEFAULT '', -- the session whose transcript has it; '': none yet
    PRIMARY KEY (session_key, outbox)
);
CREATE INDEX told_apart_outbox ON told_apart (outbox);

-- The message in a chat that shows the progress of a turn's tasks.
CREATE TABLE progress (
    owner      TEXT NOT NULL,
    turn       BIGINT NOT NULL,
    message    TEXT NOT NULL DEFAULT '', -- the platform's id; '': it is being sent, or its id is unknown
    shown      TEXT NOT NULL DEFAULT '', -- a hash of its text
    wait_until BIGINT NOT NULL, -- no change before this time
    open       BOOLEAN NOT NULL DEFAULT TRUE, -- it may still change
    PRIMARY KEY (owner, turn)
);
CREATE INDEX progress_open ON progress (owner) WHERE open;

-- Chats whose platform id has changed. errand keeps the first one, chat.
CREATE TABLE moved_chats (
    channel  TEXT NOT NULL,
    account  TEXT NOT NULL,
    chat     TEXT NOT NULL,
    moved_to TEXT NOT NULL,
    PRIMARY KEY (channel, account, chat)
);
CREATE INDEX moved_chats_to ON moved_chats (channel, account, moved_to);

-- The live connection of each account: its owner and state. The owner holds it until held_until.
CREATE TABLE connections (
    channel    TEXT NOT NULL,
    account    TEXT NOT NULL,
    owner      TEXT NOT NULL DEFAULT '', -- the process; '': none
    held_until BIGINT NOT NULL DEFAULT 0,
    state      TEXT NOT NULL DEFAULT 'connecting',
    detail     TEXT NOT NULL DEFAULT '',
    advice     TEXT NOT NULL DEFAULT '',
    link       TEXT NOT NULL DEFAULT '', -- for a phone to scan; only an operator may see it
    since      BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (channel, account)
);

-- --- Events and push notifications

-- Events of conversations for pages and programs, in order.
CREATE TABLE events (
    id            BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    session_key   TEXT NOT NULL,
    type          TEXT NOT NULL,
    session       TEXT NOT NULL DEFAULT '',
    turn          BIGINT NOT NULL DEFAULT 0,
    agent         TEXT NOT NULL DEFAULT '',
    task          TEXT NOT NULL DEFAULT '',
    state         TEXT NOT NULL DEFAULT '',
    text          TEXT NOT NULL DEFAULT '',
    options       TEXT NOT NULL DEFAULT '',
    cause         TEXT NOT NULL DEFAULT '', -- of a late reply without a result
    message_id    TEXT NOT NULL DEFAULT '',
    file          TEXT NOT NULL DEFAULT '',
    attached      TEXT NOT NULL DEFAULT '', -- JSON: artifacts that came with a message
    tools         TEXT NOT NULL DEFAULT '', -- JSON: the tools that the turn called
    question      TEXT NOT NULL DEFAULT '',
    question_kind TEXT NOT NULL DEFAULT '',
    created       BIGINT NOT NULL
);
CREATE INDEX events_session ON events (session_key, id);
CREATE INDEX events_message ON events (session_key, message_id) WHERE message_id <> '';
CREATE INDEX events_of_session ON events (session) WHERE session <> '';

-- Browsers that get push notifications while no page is open: see push_subscriptions.go. An endpoint has one subscription.
CREATE TABLE push_subscriptions (
    id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    person   TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    login    TEXT COLLATE "C" REFERENCES tokens (id) ON DELETE CASCADE, -- the browser's login; deleted together. NULL: it had none
    endpoint TEXT COLLATE "C" NOT NULL UNIQUE,
    p256dh   TEXT NOT NULL,
    auth     TEXT NOT NULL,
    label    TEXT NOT NULL,
    words    BOOLEAN NOT NULL DEFAULT FALSE, -- its pushes have the text
    created  BIGINT NOT NULL,
    sent     BIGINT NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0, -- since the last push that arrived
    error    TEXT NOT NULL DEFAULT ''
);
CREATE INDEX push_subscriptions_person ON push_subscriptions (person, created);
CREATE INDEX push_subscriptions_login ON push_subscriptions (login);

-- Pushes to send: each event once per browser. The subscription may be deleted.
CREATE TABLE pushes (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    subscription TEXT COLLATE "C" NOT NULL,
    session_key  TEXT COLLATE "C" NOT NULL,
    event        BIGINT NOT NULL,
    created      BIGINT NOT NULL,
    UNIQUE (subscription, event)
);
CREATE INDEX pushes_session ON pushes (session_key);

-- --- Artifacts and files

-- Files that people send, and results of tools that are too long for a prompt.
CREATE TABLE artifacts (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    inbox       BIGINT NOT NULL, -- the message with which it came
    idx         BIGINT NOT NULL,
    session_key TEXT NOT NULL,
    session     TEXT NOT NULL DEFAULT '', -- of the turn that took the message; '': none
    root        TEXT NOT NULL DEFAULT '', -- the root of the tree, for a tool's result outside of sessions
    tool        TEXT NOT NULL DEFAULT '', -- the tool whose result it is; '': a person sent it
    person      TEXT NOT NULL,
    voice       BOOLEAN NOT NULL,
    name        TEXT NOT NULL,
    type        TEXT NOT NULL, -- detected from the content
    size        BIGINT NOT NULL,
    sha256      TEXT NOT NULL, -- in hex
    created     BIGINT NOT NULL,
    data        BYTEA NOT NULL
);
CREATE INDEX artifacts_inbox ON artifacts (inbox, idx);
CREATE INDEX artifacts_session ON artifacts (session, created) WHERE session <> '';
CREATE INDEX artifacts_loose ON artifacts (created) WHERE session = '';
CREATE INDEX artifacts_root ON artifacts (root) WHERE root <> '';

-- Artifacts as models get them: see pictures.go.
CREATE TABLE pictures (
    artifact TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES artifacts (id) ON DELETE CASCADE,
    type     TEXT NOT NULL,
    width    BIGINT NOT NULL, -- of data
    height   BIGINT NOT NULL,
    fault    TEXT NOT NULL, -- why it cannot be shown; then data is empty
    data     BYTEA NOT NULL
);

-- Folders that agents and people share: see files.go. A place has one.
CREATE TABLE workspaces (
    id           BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    place        TEXT NOT NULL, -- a conversation, or the root of a tree of tasks outside of chats; '': being deleted
    session      TEXT NOT NULL,
    files        BIGINT NOT NULL DEFAULT 0,
    bytes        BIGINT NOT NULL DEFAULT 0, -- of all versions
    last_version BIGINT NOT NULL DEFAULT 0, -- the highest of any removed file: new files continue after it
    created      BIGINT NOT NULL,
    changed      BIGINT NOT NULL
);
CREATE UNIQUE INDEX workspaces_place ON workspaces (place) WHERE place <> '';
CREATE INDEX workspaces_session ON workspaces (session) WHERE session <> '';

-- The files of a workspace. folded is the path without case: two paths never differ by case only.
CREATE TABLE files (
    id        BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    workspace BIGINT NOT NULL,
    path      TEXT NOT NULL,
    folded    TEXT COLLATE "C" NOT NULL,
    version   BIGINT NOT NULL, -- the current one
    UNIQUE (workspace, folded)
);

-- Versions of files. A version never changes.
CREATE TABLE file_versions (
    id        BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    workspace BIGINT NOT NULL,
    file      BIGINT NOT NULL,
    version   BIGINT NOT NULL,
    restores  BIGINT NOT NULL DEFAULT 0, -- the version whose content it restores; 0: new content
    latest    BOOLEAN NOT NULL, -- the current one of its file
    size      BIGINT NOT NULL,
    type      TEXT NOT NULL, -- detected from the content
    sha256    TEXT NOT NULL, -- in hex
    agent     TEXT NOT NULL,
    person    TEXT NOT NULL,
    owner     TEXT NOT NULL, -- of the turn that wrote it; '': a person wrote it
    session   TEXT NOT NULL, -- in which it was written
    created   BIGINT NOT NULL,
    UNIQUE (file, version)
);
CREATE INDEX file_versions_old ON file_versions (workspace, id) WHERE NOT latest;
CREATE INDEX file_versions_session ON file_versions (session) WHERE session <> '' AND NOT latest;

-- The content of versions, in chunks of at most 64 KiB.
CREATE TABLE file_chunks (
    version BIGINT NOT NULL, -- a row of file_versions
    idx     BIGINT NOT NULL,
    data    BYTEA NOT NULL,
    PRIMARY KEY (version, idx)
);

-- Changes by tool calls: a second run of a call changes nothing.
CREATE TABLE file_calls (
    call      TEXT NOT NULL PRIMARY KEY,
    workspace BIGINT NOT NULL,
    result    TEXT NOT NULL,
    created   BIGINT NOT NULL
);
CREATE INDEX file_calls_workspace ON file_calls (workspace);

-- --- Notes and reminders

-- Agents' notes.
CREATE TABLE memory (
    person  TEXT NOT NULL, -- or the key of a conversation that others read
    agent   TEXT NOT NULL,
    key     TEXT COLLATE "C" NOT NULL,
    value   TEXT NOT NULL,
    session TEXT NOT NULL DEFAULT '', -- where the note was made
    expires BIGINT NOT NULL DEFAULT 0,
    updated BIGINT NOT NULL,
    PRIMARY KEY (person, agent, key)
);
CREATE INDEX memory_session ON memory (session) WHERE session <> '';
CREATE INDEX memory_expires ON memory (expires) WHERE expires > 0;
CREATE INDEX memory_updated ON memory (updated);

-- Reminders with their next time.
CREATE TABLE reminders (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    person      TEXT NOT NULL,
    session_key TEXT NOT NULL,
    session     TEXT NOT NULL,
    agent       TEXT NOT NULL,
    role        TEXT NOT NULL,
    in_group    BOOLEAN NOT NULL DEFAULT FALSE, -- other people read the chat
    text        TEXT NOT NULL,
    spec        TEXT NOT NULL, -- JSON of package when
    state       TEXT NOT NULL, -- active, done or canceled
    next        BIGINT NOT NULL, -- 0: it will not fire again
    times       BIGINT NOT NULL DEFAULT 0,
    last        BIGINT NOT NULL DEFAULT 0,
    call        TEXT UNIQUE, -- the tool call that set it, once; NULL: a person set it
    created     BIGINT NOT NULL
);
CREATE INDEX reminders_person ON reminders (person, created);
CREATE INDEX reminders_active ON reminders (next) WHERE state = 'active';
CREATE INDEX reminders_session ON reminders (session) WHERE session <> '';

-- --- Budgets, usage and limits

-- What is spent and reserved of each budget. The limits are configuration.
CREATE TABLE budgets (
    key             TEXT NOT NULL PRIMARY KEY,
    calls           BIGINT NOT NULL DEFAULT 0,
    tokens          BIGINT NOT NULL DEFAULT 0,
    cached          BIGINT NOT NULL DEFAULT 0, -- of tokens
    cost            DOUBLE PRECISION NOT NULL DEFAULT 0,
    reserved_calls  BIGINT NOT NULL DEFAULT 0,
    reserved_tokens BIGINT NOT NULL DEFAULT 0,
    reserved_cost   DOUBLE PRECISION NOT NULL DEFAULT 0
);

-- Reservations: one for each model call that has begun and has no outcome.
CREATE TABLE reservations (
    owner    TEXT NOT NULL,
    turn     BIGINT NOT NULL,
    step     BIGINT NOT NULL,
    keys     TEXT NOT NULL,
    calls    BIGINT NOT NULL,
    tokens   BIGINT NOT NULL,
    cost     DOUBLE PRECISION NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 1, -- how often the call was begun; only the last attempt may commit an outcome
    worker   TEXT NOT NULL DEFAULT '', -- of the last attempt
    counted  BIGINT NOT NULL DEFAULT 0, -- how many of these are in the budgets
    tried    BIGINT NOT NULL DEFAULT 0, -- how long the model was tried, with pauses, in microseconds
    PRIMARY KEY (owner, turn, step)
);

-- Model calls and what they cost.
CREATE TABLE usage (
    id               BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    owner            TEXT NOT NULL,
    turn             BIGINT NOT NULL,
    step             BIGINT NOT NULL,
    session          TEXT NOT NULL,
    person           TEXT NOT NULL,
    agent            TEXT NOT NULL,
    model            TEXT NOT NULL,
    provider         TEXT NOT NULL,
    input_tokens     BIGINT NOT NULL,
    cached_tokens    BIGINT NOT NULL DEFAULT 0, -- of input_tokens: read from the provider's cache
    written_tokens   BIGINT NOT NULL DEFAULT 0, -- of input_tokens: written to it, and billed as such
    output_tokens    BIGINT NOT NULL,
    estimated_tokens BIGINT NOT NULL DEFAULT 0, -- errand's estimate of the input, if the provider counted it
    cost             DOUBLE PRECISION NOT NULL,
    created          BIGINT NOT NULL
);
CREATE INDEX usage_session ON usage (session);
CREATE INDEX usage_created ON usage (created);
CREATE INDEX usage_person ON usage (person, created);
CREATE INDEX usage_owner ON usage (owner, turn, step);

-- Sums of older usage.
CREATE TABLE usage_days (
    day            TEXT NOT NULL, -- UTC
    person         TEXT NOT NULL,
    agent          TEXT NOT NULL,
    model          TEXT NOT NULL,
    provider       TEXT NOT NULL,
    calls          BIGINT NOT NULL,
    input_tokens   BIGINT NOT NULL,
    cached_tokens  BIGINT NOT NULL DEFAULT 0,
    written_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens  BIGINT NOT NULL,
    cost           DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (day, person, agent, model, provider)
);
CREATE INDEX usage_days_person ON usage_days (person, day);

-- Rates that workers share: see rates.go.
CREATE TABLE rates (
    key  TEXT NOT NULL PRIMARY KEY, -- a hash of the limited thing
    n    INTEGER NOT NULL, -- count in this period
    ends BIGINT NOT NULL -- end of the period
);
CREATE INDEX rates_ends ON rates (ends);

-- Pauses that model providers requested: see rates.go.
CREATE TABLE provider_pauses (
    provider TEXT NOT NULL PRIMARY KEY, -- a hash of server, key and model
    until    BIGINT NOT NULL
);

-- --- Other systems

-- MCP servers, as last reported by the worker that runs each: see mcp_servers.go.
CREATE TABLE mcp_servers (
    name    TEXT NOT NULL PRIMARY KEY,
    worker  TEXT NOT NULL,
    queue   TEXT NOT NULL,
    state   TEXT NOT NULL,
    reason  TEXT NOT NULL,
    tools   TEXT NOT NULL, -- a JSON list
    about   TEXT NOT NULL DEFAULT '{}', -- JSON of package mcpclient
    changed BIGINT NOT NULL,
    gone    BIGINT NOT NULL DEFAULT 0 -- when its worker was found dead; 0: it was not, or another worker has started since
);

-- Tasks sent to remote agents: see peers.go. An agent gets a task once.
CREATE TABLE peer_tasks (
    task       TEXT NOT NULL,
    agent      TEXT NOT NULL,
    peer_task  TEXT NOT NULL DEFAULT '', -- the peer's id of the task
    state      TEXT NOT NULL DEFAULT 'submitted',
    said       TEXT NOT NULL DEFAULT '', -- the last status (core.PeerTask.Word)
    asked      TEXT NOT NULL DEFAULT '', -- the last status that was shown to its person
    offered_to TEXT NOT NULL DEFAULT '', -- the person whose registered agent is to take it; '': another system
    begun      BIGINT NOT NULL,
    heard      BIGINT NOT NULL DEFAULT 0,
    answered   BIGINT NOT NULL DEFAULT 0, -- when the peer got its last answer
    given_up   BIGINT NOT NULL DEFAULT 0, -- when errand stopped waiting, though the peer may go on
    next_at    BIGINT NOT NULL DEFAULT 0, -- when errand polls it again after that
    PRIMARY KEY (task, agent)
);
CREATE INDEX peer_tasks_open ON peer_tasks (next_at) WHERE peer_task <> '' AND state IN ('submitted', 'working', 'input_required');
CREATE INDEX peer_tasks_offered ON peer_tasks (offered_to, agent, begun) WHERE offered_to <> '' AND state IN ('submitted', 'working');

-- Agents that programs of people have registered: see registered_agents.go.
CREATE TABLE registered_agents (
    person      TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    registered  BIGINT NOT NULL, -- the last time
    PRIMARY KEY (person, name)
);

-- Messages of programs over A2A: see a2a.go. message is unique per person.
CREATE TABLE a2a_messages (
    person   TEXT NOT NULL,
    message  TEXT NOT NULL, -- the program's id of the message
    context  TEXT NOT NULL,
    task     TEXT NOT NULL DEFAULT '', -- the task that it made or belongs to
    question TEXT NOT NULL DEFAULT '', -- the question that it answers
    created  BIGINT NOT NULL,
    PRIMARY KEY (person, message)
);
CREATE INDEX a2a_messages_context ON a2a_messages (person, context, created);
CREATE INDEX a2a_messages_task ON a2a_messages (task);

-- Receivers of A2A push notifications for tasks: see a2a_pushes.go. The notifications are rows of webhooks.
CREATE TABLE a2a_pushes (
    task        TEXT NOT NULL,
    id          TEXT NOT NULL,
    base        TEXT NOT NULL,
    url         TEXT NOT NULL,
    token       TEXT NOT NULL DEFAULT '',
    scheme      TEXT NOT NULL DEFAULT '',
    credentials TEXT NOT NULL DEFAULT '',
    created     BIGINT NOT NULL,
    PRIMARY KEY (task, id)
);

-- HTTP notifications of the ends of tasks. Receivers identify a notification by its id.
CREATE TABLE webhooks (
    id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    person   TEXT COLLATE "C" NOT NULL,
    task     TEXT COLLATE "C" NOT NULL,
    push     TEXT NOT NULL DEFAULT '', -- the id in a2a_pushes
    url      TEXT NOT NULL,
    state    TEXT NOT NULL, -- waiting for the end of the task, due, sent or failed
    attempts INTEGER NOT NULL DEFAULT 0,
    error    TEXT NOT NULL DEFAULT '',
    created  BIGINT NOT NULL,
    due      BIGINT NOT NULL DEFAULT 0,
    ended    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX webhooks_task ON webhooks (task);
CREATE INDEX webhooks_due ON webhooks (id) WHERE state = 'due';
CREATE INDEX webhooks_person ON webhooks (person, created);

-- The keys that sign people's webhooks. errand needs the key itself, so it is not hashed.
CREATE TABLE webhook_keys (
    person  TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
    key     TEXT NOT NULL,
    created BIGINT NOT NULL
);

-- Requests of programs that may be repeated: the same key gives the same task.
CREATE TABLE replays (
    person  TEXT COLLATE "C" NOT NULL,
    key     TEXT COLLATE "C" NOT NULL,
    body    TEXT NOT NULL, -- a hash
    task    TEXT COLLATE "C" NOT NULL DEFAULT '',
    created BIGINT NOT NULL,
    PRIMARY KEY (person, key)
);
CREATE INDEX replays_task ON replays (task);

-- --- Audit

-- The audit log: ids and enums, never texts. The rows outlive their subjects.
CREATE TABLE audit (
    id      BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    at      BIGINT NOT NULL,
    person  TEXT COLLATE "C" NOT NULL,
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
