package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A TaskFilter narrows a list of tasks; zero fields do not.
type TaskFilter struct {
	Person  errand.PersonID
	Session errand.SessionKey
	Asked   bool // with Session: it was asked for there, too, and is told in another conversation
	Caller  errand.Owner
	States  []errand.TaskState
	Agent   errand.AgentName // is one of its agents
	Text    string           // stands in what is to be done, in what became of it, or in its id, in any case
	Before  time.Time        // it was begun
	Begun   time.Time        // it was begun then, or later
	Since   time.Time        // it has ended after, or, while it is open, was begun after
	A2A     bool             // it came over A2A, of Context if that is not empty
	Context string
	Late    bool // is a late answer of a peer, of LateOf and of Kind if those are not empty
	LateOf  errand.TaskID
	Kind    errand.LateKind
	After   Position // in the list
	Limit   int      // default 100
}

// CreateTask makes a task that a person or a script asks for; retryOf names the
// one it repeats. An origin without a root is the root of a tree of its own. A request
// that has a task already is given that one. It fails with ErrTooManyTasks if the person has
// too many open, and with a [*BudgetError] if a budget is used up.
func (s *Store) CreateTask(ctx context.Context, origin errand.Origin, n NewTask, retryOf errand.TaskID) (errand.Task, error) {
	if len(n.Agents) == 0 {
		return errand.Task{}, errors.New("a task needs an agent")
	}
	if origin.Depth < 1 {
		origin.Depth = 1
	}
	task := errand.Task{Agents: n.Agents, From: origin.Agent, Text: n.Text, Waits: n.Waits, RetryOf: retryOf, Origin: origin,
		Policy: n.Policy, Then: n.Then, Else: n.Else, Follows: n.Follows}
	task.Briefing = n.Briefing
	err := s.write(ctx, conversation(origin), func(t *tx) error {
		task.Deadline = t.deadline(n.Deadline)
		if there, err := t.requestedTask(n.Request, &task); err != nil || there {
			return err
		}
		if there, err := t.a2aTask(n.A2A, &task); err != nil || there {
			return err
		}
		if there, err := t.replayed(n.Replay, &task); err != nil || there {
			return err
		}
		if err := t.mayOpenTask(origin); err != nil {
			return err
		}
		if err := t.insertTask(&task); err != nil {
			return err
		}
		if err := t.giveA2ATask(n.A2A, task.ID); err != nil {
			return err
		}
		if err := t.giveReplayTask(n.Replay, &task); err != nil {
			return err
		}
		if err := t.addWebhook(n.Webhook, &task); err != nil {
			return err
		}
		return t.brief(&task, n.Request)
	})
	return task, err
}

// Task returns a task by its whole id, or ErrNotFound.
func (s *Store) Task(ctx context.Context, id errand.TaskID) (errand.Task, error) {
	return taskByID(s.read(ctx), id)
}

var idCharacters = regexp.MustCompile(`^[a-z0-9]+$`)

// idsFrom are the bounds of the ids of a kind ("t-") that begin with prefix, which may have
// the kind or not, in any case; ok is false where none can.
func idsFrom(kind, prefix string) (from, to string, ok bool) {
	p := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(prefix)), kind)
	return kind + p, kind + p + "~", idCharacters.MatchString(p)
}

// FindTask returns the one task that f lets pass whose id begins with prefix,
// which may have its "t-" or not, in any case. ErrNotFound if there is none,
// ErrAmbiguous with some of them if there are several.
func (s *Store) FindTask(ctx context.Context, prefix string, f TaskFilter) (errand.Task, error) {
	from, to, ok := idsFrom("t-", prefix)
	if !ok {
		return errand.Task{}, about(ErrNotFound, "task", prefix)
	}
	where, args := f.where()
	tasks, err := tasksWhere(s.read(ctx), where+` AND id >= ? AND id < ? ORDER BY id LIMIT 6`, append(args, from, to)...)
	switch {
	case err != nil:
		return errand.Task{}, err
	case len(tasks) == 0:
		return errand.Task{}, about(ErrNotFound, "task", prefix)
	case len(tasks) == 1 || string(tasks[0].ID) == from:
		return tasks[0], nil
	}
	names := make([]string, 0, 6)
	for i, t := range tasks {
		if i == 5 {
			names = append(names, "…")
			break
		}
		names = append(names, fmt.Sprintf("%s (%s)", t.ID, t.Title))
	}
	return errand.Task{}, &LookupError{"task", prefix, names, ErrAmbiguous}
}

func (f TaskFilter) where() (string, []any) {
	where, args := []string{"TRUE"}, []any{}
	add := func(condition string, arg any) {
		where, args = append(where, condition), append(args, arg)
	}
	if f.Person != "" {
		add(`person = ?`, f.Person)
	}
	switch {
	case f.Session != "" && f.Asked:
		where, args = append(where, `(session_key = ? OR source = ? AND source <> '')`), append(args, f.Session, f.Session)
	case f.Session != "":
		add(`session_key = ?`, f.Session)
	}
	if f.Caller != "" {
		add(`caller_owner = ? AND caller_owner <> ''`, f.Caller)
	}
	if len(f.States) > 0 {
		where = append(where, `state IN (`+sqldb.Placeholders(len(f.States))+`)`)
		for _, st := range f.States {
			args = append(args, st)
		}
	}
	if f.Agent != "" {
		add(`agents LIKE ? ESCAPE '\'`, likePattern(strconv.Quote(string(f.Agent))))
	}
	if f.Text != "" {
		// Each database folds the case of what it knows, and of both sides alike.
		add(`LOWER(id || ' ' || text || ' ' || result || ' ' || error) LIKE LOWER(CAST(? AS TEXT)) ESCAPE '\'`, likePattern(f.Text))
	}
	if !f.Before.IsZero() {
		add(`created < ?`, micros(f.Before))
	}
	if !f.Begun.IsZero() {
		add(`created >= ?`, micros(f.Begun))
	}
	if !f.Since.IsZero() {
		add(`CASE WHEN finished > 0 THEN finished ELSE created END > ?`, micros(f.Since))
	}
	if f.Late {
		where = append(where, `late_of <> ''`)
	}
	if f.LateOf != "" {
		where = append(where, `(late_of = ? OR late_for >= ? AND late_for < ?)`)
		args = append(args, f.LateOf, string(f.LateOf)+"/", string(f.LateOf)+"0") // 0 follows the slash
	}
	if f.Kind != "" {
		add(`late_kind = ?`, f.Kind)
	}
	switch {
	case f.A2A && f.Context != "":
		add(`id IN (SELECT task FROM a2a_messages m WHERE m.person = tasks.person AND m.context = ?)`, f.Context)
	case f.A2A:
		where = append(where, `id IN (SELECT task FROM a2a_messages m WHERE m.person = tasks.person)`)
	}
	return strings.Join(where, " AND "), args
}

// Tasks returns the tasks that f lets pass, newest first.
func (s *Store) Tasks(ctx context.Context, f TaskFilter) ([]errand.Task, error) {
	return f.page(s.read(ctx))
}

func (f TaskFilter) page(q sqldb.Querier) ([]errand.Task, error) {
	where, args := f.where()
	behind, values, err := newestFirst.behind(f.After)
	if err != nil {
		return nil, err
	}
	return tasksWhere(q, where+" AND "+behind+newestFirst.by()+" LIMIT ?", append(append(args, values...), orDefault(f.Limit, 100))...)
}

// OpenTaskIDs returns the ids of all tasks that f lets pass and that have not ended, callers
// before what they called. f's limit does not count.
func (s *Store) OpenTaskIDs(ctx context.Context, f TaskFilter) ([]errand.TaskID, error) {
	where, args := f.where()
	var ids []errand.TaskID
	err := s.read(ctx).All(&ids, `SELECT id FROM tasks WHERE `+where+` AND `+open+` ORDER BY depth, created, id`, args...)
	return ids, err
}

// StillOpen returns those of some tasks that have not ended.
func (s *Store) StillOpen(ctx context.Context, ids []errand.TaskID) ([]errand.TaskID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	var still []errand.TaskID
	err := s.read(ctx).All(&still, `SELECT id FROM tasks WHERE id IN (`+sqldb.Placeholders(len(ids))+`) AND `+open+` ORDER BY created, id`, args...)
	return still, err
}

// TaskTree returns a task and everything delegated below it, the callers before
// what they called.
func (s *Store) TaskTree(ctx context.Context, id errand.TaskID) ([]errand.Task, error) {
	return taskTree(s.read(ctx), id)
}

func taskTree(q sqldb.Querier, id errand.TaskID) ([]errand.Task, error) {
	top, err := taskByID(q, id)
	if err != nil {
		return nil, err
	}
	tree := []errand.Task{top}
	for i := 0; i < len(tree); i++ {
		below, err := tasksWhere(q, `parent = ? AND parent <> '' ORDER BY created`, tree[i].ID)
		if err != nil {
			return nil, err
		}
		tree = append(tree, below...)
	}
	return tree, nil
}
