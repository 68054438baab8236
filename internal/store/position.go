package store

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"errand/internal/core"
)

// A Position has the values by which a list orders a row. It stays valid when rows are added or
// deleted.
type Position []string

// A Page selects a part of a list.
type Page struct {
	After Position // nil: from the beginning
	Limit int      // 0: the default of the list
}

// ErrPosition refuses a position that does not belong to the list.
var ErrPosition = errors.New("no position of this list")

// An order is a list of columns that are unique together.
type order []column

type column struct {
	sql    string
	number bool // otherwise text
	down   bool // descending
}

var (
	newestFirst   = order{{"created", true, true}, {"id", false, false}}
	questionOrder = order{{"created", true, true}, {"id", false, true}}
	sessionOrder  = order{{"active", true, true}, {"id", false, false}}
	outboxOrder   = order{{"id", true, true}}
	auditOrder    = order{{"a.id", true, true}}
	peopleOrder   = order{{"p.created", true, false}, {"p.id", false, false}}
	noteOrder     = order{{"agent", false, false}, {"key", false, false}, {"person", false, false}}
	reminderOrder = order{{"CAST(CASE WHEN state = 'active' THEN 0 ELSE 1 END AS BIGINT)", true, false}, {"next", true, false}, {"created", true, true}, {"id", false, false}}
	chatOrder     = order{{"CAST(CASE WHEN COALESCE(c.pinned, FALSE) THEN 0 ELSE 1 END AS BIGINT)", true, false}, {"s.active", true, true}, {"s.id", false, false}}
	fileOrder     = order{{"w.changed", true, true}, {"w.id", true, true}}
)

func (o order) by() string {
	columns := make([]string, len(o))
	for i, c := range o {
		if columns[i] = c.sql; c.down {
			columns[i] += " DESC"
		}
	}
	return " ORDER BY " + strings.Join(columns, ", ")
}

func (o order) behind(p Position) (string, []any, error) {
	if len(p) == 0 {
		return "TRUE", nil, nil
	}
	if len(p) != len(o) {
		return "", nil, ErrPosition
	}
	values := make([]any, len(o))
	for i, c := range o {
		values[i] = harmless(p[i])
		if c.number {
			n, err := strconv.ParseInt(p[i], 10, 64)
			if err != nil {
				return "", nil, ErrPosition
			}
			values[i] = n
		}
	}
	// Row values would require one direction for all columns. The first condition follows from
	// the others; it lets the database use the index on the first column.
	first, condition, args := "", "", []any{}
	for i := len(o) - 1; i >= 0; i-- {
		c, behind := o[i], " > ?"
		if c.down {
			behind = " < ?"
		}
		if condition == "" {
			condition, args = c.sql+behind, []any{values[i]}
		} else {
			condition = "(" + c.sql + behind + " OR " + c.sql + " = ? AND " + condition + ")"
			args = append([]any{values[i], values[i]}, args...)
		}
		first = c.sql + strings.Replace(behind, " ?", "= ?", 1)
	}
	return first + " AND " + condition, append([]any{values[0]}, args...), nil
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func moment(t time.Time) string { return number(micros(t)) }

// PositionOfTask returns the position of a task in [Store.Tasks].
func PositionOfTask(t core.Task) Position { return Position{moment(t.Created), string(t.ID)} }

// PositionOfQuestion returns the position of a question in [Store.Questions].
func PositionOfQuestion(q core.Question) Position {
	return Position{moment(q.Created), string(q.ID)}
}

// PositionOfDelivery returns the position of a row in [Store.Deliveries].
func PositionOfDelivery(n core.Notification) Position { return Position{number(n.ID)} }

// PositionOfSession returns the position of a session in [Store.Sessions].
func PositionOfSession(s core.Session) Position { return Position{moment(s.Active), string(s.ID)} }

// PositionOfWebhook returns the position of a webhook in [Store.Webhooks].
func PositionOfWebhook(w core.Webhook) Position { return Position{moment(w.Created), w.ID} }

// PositionOfPerson returns the position of a person in [Store.People].
func PositionOfPerson(p core.Person) Position { return Position{moment(p.Created), string(p.ID)} }

// PositionOfNote returns the position of a note in [Store.Notes].
func PositionOfNote(n core.PersonNote) Position {
	return Position{string(n.Agent), n.Key, string(n.Person)}
}

// PositionOfReminder returns the position of a reminder in [Store.Reminders].
func PositionOfReminder(r core.Reminder) Position {
	over := "1"
	if r.State == core.ReminderActive {
		over = "0"
	}
	return Position{over, moment(r.Next), moment(r.Created), string(r.ID)}
}

// PositionOfChat returns the position of a chat in [Store.Chats].
func PositionOfChat(c core.Chat) Position {
	rest := "1"
	if c.Pinned {
		rest = "0"
	}
	return Position{rest, moment(c.Active), string(c.Session)}
}

// PositionOfWorkspace returns the position of a workspace in [Store.Workspaces].
func PositionOfWorkspace(w core.Workspace) Position { return Position{moment(w.Changed), number(w.ID)} }

// PositionOfEntry returns the position of an entry in [Store.Audit].
func PositionOfEntry(e core.AuditEntry) Position { return Position{number(e.ID)} }
