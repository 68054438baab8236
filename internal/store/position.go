package store

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"errand"
)

// A Position is where a row stands in a list: what the list is ordered by, as the row has
// it. It stays true when other rows come and go, its own row too.
type Position []string

// A Page is a part of a list.
type Page struct {
	After Position // what comes behind it; nil: from the top
	Limit int      // at most so many; 0: as many as the list says
}

// ErrPosition refuses a position that the list cannot have.
var ErrPosition = errors.New("no position of this list")

// An order is what a list is ordered by. Its columns together are unique, so that no two
// rows stand in one place.
type order []column

type column struct {
	sql    string
	number bool // else it is text
	down   bool // the largest first
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

// behind is the condition of the rows that come after a position; of none, of all rows.
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
	// Row values would need all columns to go in one direction. The first condition is
	// implied by the others, and is there for the index on the first column.
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

// PositionOfTask is where a task stands in [Store.Tasks].
func PositionOfTask(t errand.Task) Position { return Position{moment(t.Created), string(t.ID)} }

// PositionOfQuestion is where a question stands in [Store.Questions], of which the newest
// are the first page.
func PositionOfQuestion(q errand.Question) Position {
	return Position{moment(q.Created), string(q.ID)}
}

// PositionOfDelivery is where a row stands in [Store.Deliveries].
func PositionOfDelivery(n errand.Notification) Position { return Position{number(n.ID)} }

// Position is where the session stands in [Store.Sessions].
func (s Session) Position() Position { return Position{moment(s.Active), string(s.ID)} }

// Position is where the webhook stands in [Store.Webhooks].
func (w Webhook) Position() Position { return Position{moment(w.Created), w.ID} }

// Position is where the person stands in [Store.PeoplePage].
func (p Person) Position() Position { return Position{moment(p.Created), string(p.ID)} }

// Position is where the note stands in [Store.Notes].
func (n PersonNote) Position() Position {
	return Position{string(n.Agent), n.Key, string(n.Person)}
}

// Position is where the reminder stands in [Store.Reminders].
func (r Reminder) Position() Position {
	over := "1"
	if r.State == ReminderActive {
		over = "0"
	}
	return Position{over, moment(r.Next), moment(r.Created), string(r.ID)}
}

// Position is where the chat stands in [Store.Chats].
func (c Chat) Position() Position {
	rest := "1"
	if c.Pinned {
		rest = "0"
	}
	return Position{rest, moment(c.Active), string(c.Session)}
}

// Position is where the workspace stands in [Store.Workspaces].
func (w Workspace) Position() Position { return Position{moment(w.Changed), number(w.ID)} }

// Position is where the entry stands in [Store.Audit].
func (e AuditEntry) Position() Position { return Position{number(e.ID)} }
