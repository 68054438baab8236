package store

import (
	"context"
	"encoding/json"
	"fmt"

	"errand/internal/core"
)

// Limits of one transaction. The next step or turn takes the rest.
const (
	maxClaims    = 100
	maxResults   = MaxClaimed
	maxOpenTasks = 100
	maxWindow    = 1000 // messages, if BeginStep has no Window
)

// BeginStep is the first of a step's two transactions: it takes what the step answers, reads
// the transcript and reserves the budget. It may be repeated: the turn keeps what it took. It
// fails with ErrPaused, ErrClosed, ErrUntranscribed or an *[UndecidedError], and then has taken
// nothing. With a *BudgetError it also returns the input: what it took is in the transcript,
// and the caller may commit a Failed outcome.
func (s *Store) BeginStep(ctx context.Context, in BeginStep) (*StepInput, error) {
	var b *stepBegin
	run := func(t *tx) error {
		b = &stepBegin{tx: t, in: in, key: in.Key, out: &StepInput{Key: in.Key}}
		return b.run()
	}
	var err error
	if in.Session != "" {
		err = s.write(ctx, string(in.Session), run)
	} else {
		err = s.writeOwner(ctx, in.Key.Owner, run)
	}
	if err != nil {
		return nil, err
	}
	if b.refused != nil {
		return b.out, b.refused
	}
	return b.out, nil
}

type stepBegin struct {
	*tx
	in       BeginStep
	key      core.StepKey
	out      *StepInput
	nonce    core.Nonce // of the transcript; during a take, out has a new, secret one
	turn     turnRow
	opened   bool    // the turn was opened by an earlier step or attempt
	changed  bool    // the turn row must be written
	next     int     // index of the next message appended here; -1: unknown
	taken    []int64 // inbox rows this step took, now or in an earlier attempt
	claims   int     // how many inbox rows and results this step took, now or in an earlier attempt
	queued   []int64
	session  sessionRow  // for a step of a session
	person   core.Person // with the current rights
	notified int         // results delivered as notifications
	failing  bool        // the model did not answer an earlier attempt
	refused  error

	approvals    bool            // this owner may have approvals that were not delivered
	approved     []core.Question // their calls run instead of a model call
	asked        bool            // a question is open in the chat of the session
	called       bool            // calls of earlier turns wait for their program
	hasBackfill  bool            // the chat has messages that the transcript lacks
	backfill     []core.Message
	backfillRows []core.Notification
}

func (b *stepBegin) run() error {
	done, err := b.outcome(b.key)
	if err != nil || done != nil {
		b.out.Done = done
		return err
	}
	if err := b.mayBegin(); err != nil {
		return err
	}
	if err := b.take(); err != nil || b.out.Done != nil {
		return err
	}
	if b.key.Step == 1 && b.claims == 0 && !b.opened {
		b.out.Empty = &StepResult{Empty: true, Outbox: b.queued, Claims: b.notified}
		return nil
	}
	if err := b.openTurn(); err != nil {
		return err
	}
	if len(b.approved) > 0 {
		return b.runApproved()
	}
	if err := b.readOn(); err != nil {
		return err
	}
	return b.reserve()
}

func (t *tx) outcome(key core.StepKey) (*StepResult, error) {
	var text string
	found, err := t.Value(&text, `SELECT result FROM messages WHERE owner = ? AND turn = ? AND step = ? AND idx = 0`,
		key.Owner, key.Turn, key.Step)
	if err != nil || !found || key.Step < 1 {
		return nil, err
	}
	var r StepResult
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return nil, fmt.Errorf("outcome of step %s: %w", key, err)
	}
	var passed *bool // whether a later step has an outcome: then this one waits for nothing
	for i, c := range r.Calls {
		if c.Waits && passed == nil {
			var one int
			later, err := t.Value(&one, `SELECT 1 FROM messages WHERE owner = ? AND turn = ? AND step > ? AND idx = 0 LIMIT 1`, key.Owner, key.Turn, key.Step)
			if err != nil {
				return nil, err
			}
			passed = &later
		}
		if c.Question != "" {
			q, err := questionByID(t, c.Question)
			if err != nil {
				return nil, err
			}
			r.Calls[i].Ended, r.Calls[i].Refused = q.State != core.QuestionOpen, q.Refused()
			r.Calls[i].Waits = c.Waits && (r.Calls[i].Ended || !*passed)
		}
		if c.Task == "" {
			continue
		}
		task, err := taskByID(t, c.Task)
		if err != nil {
			return nil, err
		}
		r.Calls[i].Ended = task.State.Terminal()
		r.Calls[i].Waits = c.Waits && (r.Calls[i].Ended || !*passed)
	}
	return &r, nil
}

func (b *stepBegin) mayBegin() error {
	paused, err := b.readTurn()
	switch {
	case err != nil:
		return err
	case paused:
		return ErrPaused
	}
	if b.opened && !b.turn.Open {
		return fmt.Errorf("turn %d of %s: %w", b.key.Turn, b.key.Owner, ErrClosed)
	}
	if b.key.Step > 1 && !b.opened {
		return fmt.Errorf("step %s: its turn was never begun: %w", b.key, ErrNotFound)
	}
	if b.in.Session != "" {
		return b.forSession()
	}
	return b.forSubAgent()
}

// readTurn reads two tables in one statement, because every step needs both.
func (b *stepBegin) readTurn() (paused bool, err error) {
	var rows []turnRow
	err = b.All(&rows, `SELECT `+turnColumns+` FROM turns WHERE owner = ? AND turn = ?
		UNION ALL SELECT -1, '', '', '', '', '', '', '', 0, FALSE, FALSE, 0 FROM meta WHERE key = 'paused'`, b.key.Owner, b.key.Turn)
	for _, row := range rows {
		if row.Turn < 0 {
			paused = true
			continue
		}
		b.turn, b.opened = row, true
	}
	return paused, err
}

func (b *stepBegin) forSession() error {
	row, who, found, err := b.sessionAndPerson()
	if err != nil {
		return err
	}
	if !found || row.Key != string(b.in.Session) {
		return fmt.Errorf("session %s of %s: %w", b.key.Owner, b.in.Session, ErrNotFound)
	}
	if row.State == SessionEnded {
		return fmt.Errorf("session %s: %w", row.ID, ErrEnded)
	}
	b.session = row
	o := b.out
	o.Session, o.SessionKey, o.Route = core.SessionID(row.ID), b.in.Session, row.route()
	o.Group = row.readByOthers() || b.in.Session.Shared()
	o.Nonce, o.Agent = core.Nonce(row.Nonce), core.AgentName(row.Agent)
	if !b.opened {
		b.turn = turnRow{Conversation: row.Key, Root: turnKey(b.key.Owner, b.key.Turn), Person: row.Person}
	}
	b.isFor(core.PersonID(b.turn.Person), who)
	return b.decideAgent("")
}

// sessionAndPerson returns a nil person if the person was removed.
func (b *stepBegin) sessionAndPerson() (sessionRow, *core.Person, bool, error) {
	var row struct {
		sessionRow
		Known, SaidApart, Asked, Approvals, Called bool
		PersonName, PersonRole, PersonLanguage     string
		PersonZone                                 string
		Tools                                      string
	}
	found, err := b.Row(&row, `SELECT s.*, p.id IS NOT NULL AS known, COALESCE(p.name, '') AS person_name,
		COALESCE(p.role, '') AS person_role, COALESCE(p.language, '') AS person_language, COALESCE(p.time_zone, '') AS person_zone,
		EXISTS (SELECT 1 FROM told_apart WHERE told_apart.session_key = s.key AND told_apart.session = '') AS said_apart,
		EXISTS (SELECT 1 FROM questions WHERE questions.session_key = s.key AND questions.state = 'open') AS asked,
		EXISTS (SELECT 1 FROM questions WHERE NOT questions.told AND questions.state <> 'open' AND questions.owner = s.id AND questions.kind = 'approval') AS approvals,
		EXISTS (SELECT 1 FROM client_calls WHERE client_calls.owner = s.id AND client_calls.state = 'open') AS called,
		COALESCE((SELECT inbox.tools FROM inbox WHERE inbox.owner = s.id AND inbox.turn = ? AND inbox.tools <> '' ORDER BY inbox.id DESC LIMIT 1), '') AS tools
		FROM (SELECT `+sessionColumns+` FROM sessions WHERE id = ?) s LEFT JOIN people p ON p.id = COALESCE(NULLIF(?, ''), s.person)`,
		b.key.Turn, b.key.Owner, b.turn.Person)
	if err != nil {
		return row.sessionRow, nil, found, err
	}
	if err := b.readClientTools(row.Tools); err != nil {
		return row.sessionRow, nil, found, err
	}
	b.called = row.Called
	b.hasBackfill, b.asked, b.out.asked, b.approvals = row.SaidApart, row.Asked, row.Asked, row.Approvals
	if !row.Known {
		return row.sessionRow, nil, found, err
	}
	return row.sessionRow, &core.Person{Name: row.PersonName, Role: core.Role(row.PersonRole), Language: row.PersonLanguage, TimeZone: row.PersonZone}, found, err
}

func (b *stepBegin) forSubAgent() error {
	task, err := ownTask(b, b.key.Owner)
	if err != nil {
		return err
	}
	if task == nil {
		return fmt.Errorf("step %s: its session's key is missing: %w", b.key, ErrNotFound)
	}
	if err := b.alive(task); err != nil {
		return err
	}
	_, agent, _ := b.key.Owner.Task()
	from := task.Origin
	o := b.out
	o.Task, o.Agent, b.approvals = task, agent, b.key.Turn > 1 || b.key.Step > 1
	o.Session, o.SessionKey, o.Route = from.Session, from.SessionKey, from.Route
	if o.Group, err = readByOthers(b, from); err != nil {
		return err
	}
	o.Nonce = task.Nonce
	if !b.opened {
		b.turn = turnRow{
			Conversation: conversation(from), Cause: string(CauseTask), Root: from.Root,
			Person: string(from.Person), Role: string(from.Role), ReplyTo: from.ReplyTo,
		}
		if b.key.Turn > 1 {
			b.turn.Cause = string(CauseResults)
			if err := b.narrowByAdded(task); err != nil {
				return err
			}
		}
	}
	if err := b.readVerdict(); err != nil {
		return err
	}
	return b.setPerson(from.Person)
}

// fresh reports whether this is a sub-agent's first step, so that it has delegated nothing yet.
func (b *stepBegin) fresh() bool { return b.out.Task != nil && b.key.Turn == 1 && !b.opened }

func (b *stepBegin) openTurn() error {
	t, o := &b.turn, b.out
	o.Cause, o.Root, o.ReplyTo = Cause(t.Cause), t.Root, t.ReplyTo
	o.Role = core.Lesser(core.Role(t.Role), b.person.Role)
	switch {
	case !b.opened:
		t.Created = b.now
		_, err := b.Exec(`INSERT INTO turns (owner, turn, conversation, cause, root, person, role, reply_to, open, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, TRUE, ?)`,
			b.key.Owner, b.key.Turn, t.Conversation, t.Cause, t.Root, t.Person, t.Role, t.ReplyTo, b.now)
		if err != nil {
			return err
		}
	case b.changed:
		_, err := b.Exec(`UPDATE turns SET cause = ?, person = ?, role = ?, reply_to = ? WHERE owner = ? AND turn = ?`,
			t.Cause, t.Person, t.Role, t.ReplyTo, b.key.Owner, b.key.Turn)
		if err != nil {
			return err
		}
	}
	o.Began = at(t.Created)
	if o.Task != nil {
		return b.beginTask(o.Task) // its first step begins
	}
	if b.opened && !b.changed {
		return nil
	}
	_, err := b.Exec(`UPDATE sessions SET state = 'active', active = ?, turns = CASE WHEN turns < ? THEN ? ELSE turns END WHERE id = ?`,
		b.now, b.key.Turn, b.key.Turn, b.key.Owner)
	return err
}

func (b *stepBegin) readOn() error {
	if err := b.readTranscript(); err != nil {
		return err
	}
	if err := b.readPictures(); err != nil {
		return err
	}
	if err := b.readPlan(); err != nil {
		return err
	}
	if err := b.readQuestions(); err != nil {
		return err
	}
	var err error
	switch {
	case b.in.Session != "":
		b.out.OpenTasks, err = tasksWhere(b, `(session = ? OR source = ? AND source <> '') AND depth <= 1 AND `+open+` ORDER BY created LIMIT ?`,
			b.key.Owner, b.in.Session, maxOpenTasks)
	case !b.fresh():
		b.out.OpenTasks, err = tasksWhere(b, `caller_owner = ? AND caller_owner <> '' AND `+open+` ORDER BY created LIMIT ?`, b.key.Owner, maxOpenTasks)
	}
	if err != nil || b.in.Primary == "" || b.out.Agent != b.in.Primary || b.out.Task != nil {
		return err
	}
	return b.readMemory()
}
