package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// A TaskFilter selects tasks. A zero field does not filter.
type TaskFilter struct {
	Person  core.PersonID
	Session core.SessionKey
	Asked   bool // with Session: also tasks that were requested there and report elsewhere
	Caller  core.Owner
	States  []core.TaskState
	Agent   core.AgentName // one of the task's agents
	Text    string         // occurs in the task's text, result, error or id, in any case
	Before  time.Time      // created before
	Begun   time.Time      // created then or later
	Since   time.Time      // ended after, or created after if it is open
	A2A     bool           // requested over A2A, in Context if that is set
	Context string
	Late    bool // a late answer of a peer, for LateOf and of Kind if those are set
	LateOf  core.TaskID
	Kind    core.LateKind
	After   Position
	Limit   int // default 100
}

// CreateTask creates a task for a person or a program. retryOf is the task that it repeats, if
// any. An origin without a root begins a tree. A repeated request returns its first task. It
// fails with ErrTooManyTasks, and with a [*BudgetError] if a budget is used up.
func (s *Store) CreateTask(ctx context.Context, origin core.Origin, n NewTask, retryOf core.TaskID) (core.Task, error) {
	if len(n.Agents) == 0 {
		return core.Task{}, errors.New("a task needs an agent")
	}
	if origin.Depth < 1 {
		origin.Depth = 1
	}
	task := core.Task{Agents: n.Agents, From: origin.Agent, Text: n.Text, Waits: n.Waits, RetryOf: retryOf, Origin: origin,
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

// Task returns a task by its full id, or ErrNotFound.
func (s *Store) Task(ctx context.Context, id core.TaskID) (core.Task, error) {
	return taskByID(s.read(ctx), id)
}

var idCharacters = regexp.MustCompile(`^[a-z0-9]+$`)

// idsFrom returns the range of the ids with a prefix, which may lack kind ("t-"). ok is false
// if no id can have that prefix.
func idsFrom(kind, prefix string) (from, to string, ok bool) {
	p := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(prefix)), kind)
	return kind + p, kind + p + "~", idCharacters.MatchString(p)
}

// FindTask returns the one matching task whose id begins with prefix, in any case and with or
// without "t-". It fails with ErrNotFound or with ErrAmbiguous, which names some of them.
func (s *Store) FindTask(ctx context.Context, prefix string, f TaskFilter) (core.Task, error) {
	from, to, ok := idsFrom("t-", prefix)
	if !ok {
		return core.Task{}, about(ErrNotFound, "task", prefix)
	}
	where, args := f.where()
	tasks, err := tasksWhere(s.read(ctx), where+` AND id >= ? AND id < ? ORDER BY id LIMIT 6`, append(args, from, to)...)
	switch {
	case err != nil:
		return core.Task{}, err
	case len(tasks) == 0:
		return core.Task{}, about(ErrNotFound, "task", prefix)
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
	return core.Task{}, &LookupError{"task", prefix, names, ErrAmbiguous}
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
		// The databases fold different characters, but both sides in the same way.
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

// Tasks returns the matching tasks, newest first.
func (s *Store) Tasks(ctx context.Context, f TaskFilter) ([]core.Task, error) {
	return f.page(s.read(ctx))
}

func (f TaskFilter) page(q sqldb.Querier) ([]core.Task, error) {
	where, args := f.where()
	behind, values, err := newestFirst.behind(f.After)
	if err != nil {
		return nil, err
	}
	return tasksWhere(q, where+" AND "+behind+newestFirst.by()+" LIMIT ?", append(append(args, values...), orDefault(f.Limit, 100))...)
}

// OpenTaskIDs returns the ids of the matching open tasks, callers before the tasks they called.
// It ignores f's limit.
func (s *Store) OpenTaskIDs(ctx context.Context, f TaskFilter) ([]core.TaskID, error) {
	where, args := f.where()
	var ids []core.TaskID
	err := s.read(ctx).All(&ids, `SELECT id FROM tasks WHERE `+where+` AND `+open+` ORDER BY depth, created, id`, args...)
	return ids, err
}

// StillOpen returns those of ids that are open, and the open tasks that follow their decisions.
func (s *Store) StillOpen(ctx context.Context, ids []core.TaskID) (still, following []core.TaskID, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	in, args := ` IN (`+sqldb.Placeholders(len(ids))+`)`, make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	q := s.read(ctx)
	if err := q.All(&still, `SELECT id FROM tasks WHERE id`+in+` AND `+open+` ORDER BY created, id`, args...); err != nil {
		return nil, nil, err
	}
	err = q.All(&following, `SELECT id FROM tasks WHERE id IN (SELECT followed_by FROM tasks WHERE followed_by <> '' AND id`+in+`)
		AND `+open+` ORDER BY created, id`, args...)
	return still, following, err
}

// TaskTree returns a task and all tasks delegated below it, callers first.
func (s *Store) TaskTree(ctx context.Context, id core.TaskID) ([]core.Task, error) {
	return taskTree(s.read(ctx), id)
}

func taskTree(q sqldb.Querier, id core.TaskID) ([]core.Task, error) {
	top, err := taskByID(q, id)
	if err != nil {
		return nil, err
	}
	tree := []core.Task{top}
	for i := 0; i < len(tree); i++ {
		below, err := tasksWhere(q, `parent = ? AND parent <> '' ORDER BY created`, tree[i].ID)
		if err != nil {
			return nil, err
		}
		tree = append(tree, below...)
	}
	return tree, nil
}
