package errand

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// A SessionID names one durable conversation: a UUID, replaced by /reset.
type SessionID string

// NewSessionID draws a random session id.
func NewSessionID() SessionID { return SessionID(uuid.NewString()) }

// A TaskID names one delegated piece of work: "t-" and eight characters, short
// enough to be read aloud. It is the id of the task's Delegation workflow too.
type TaskID string

// alphabet leaves out the characters people mistake for one another: 0 and
// o, 1 and l, i, u and v.
const alphabet = "23456789abcdefghjkmnpqrstwxyz"

// NewTaskID draws a random task id. Ids are unique only once the store has
// taken them: on a conflict the caller draws again.
func NewTaskID() TaskID { return TaskID("t-" + ShortID(8)) }

// A ReminderID names one reminder: "r-" and eight characters.
type ReminderID string

// NewReminderID draws a random reminder id.
func NewReminderID() ReminderID { return ReminderID("r-" + ShortID(8)) }

// An ArtifactID names something that a person sent besides text: "a-" and eight
// characters.
type ArtifactID string

// NewArtifactID draws a random artifact id.
func NewArtifactID() ArtifactID { return ArtifactID("a-" + ShortID(8)) }

// ShortID draws n random characters that can be read aloud.
func ShortID(n int) string {
	var b strings.Builder
	raw := make([]byte, 1)
	for b.Len() < n {
		rand.Read(raw)
		// 232 is the largest multiple of 29 in a byte: beyond it, the draw
		// would favour the first letters.
		if raw[0] < 232 {
			b.WriteByte(alphabet[raw[0]%29])
		}
	}
	return b.String()
}

// A PersonID names a person, whatever identity they write from.
type PersonID string

// Everyone stands for the person in the key of a session that all the people of
// a chat share.
const Everyone PersonID = "everyone"

// NewPersonID draws a random person id: "p-" and eight characters.
func NewPersonID() PersonID { return PersonID("p-" + ShortID(8)) }

// An AgentName names an agent of the roster, in lower case.
type AgentName string

// A SessionKey names the conversation of one person in one chat, over every
// session id it has had. It is the id of the Session workflow:
// session/<channel>/<account>/<chat>/<thread or ->/<person>, each part escaped.
type SessionKey string

// NewSessionKey builds the key of person's conversation on route.
func NewSessionKey(route Route, person PersonID) SessionKey {
	thread := route.Thread
	if thread == "" {
		thread = "-"
	}
	parts := []string{route.Channel, route.Account, route.Chat, thread, string(person)}
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return SessionKey("session/" + strings.Join(parts, "/"))
}

// Parse takes k apart again.
func (k SessionKey) Parse() (Route, PersonID, error) {
	parts := strings.Split(string(k), "/")
	if len(parts) != 6 || parts[0] != "session" {
		return Route{}, "", fmt.Errorf("session key %q: want session/<channel>/<account>/<chat>/<thread>/<person>", string(k))
	}
	for i, p := range parts {
		u, err := url.PathUnescape(p)
		if err != nil {
			return Route{}, "", fmt.Errorf("session key %q: %w", string(k), err)
		}
		parts[i] = u
	}
	r := Route{Channel: parts[1], Account: parts[2], Chat: parts[3], Thread: parts[4]}
	if r.Thread == "-" {
		r.Thread = ""
	}
	return r, PersonID(parts[5]), nil
}

// Shared reports whether all the people of a chat share the conversation: what
// is kept in it is the chat's, and nobody's own has a place in it.
func (k SessionKey) Shared() bool {
	_, person, err := k.Parse()
	return err == nil && person == Everyone
}

// An Owner is whoever has a transcript: a session, by its id, or a sub-agent at
// work on a task, as "t-7k3m9q2x/sasha". The latter is also the id of the
// SubAgent workflow.
type Owner string

// SessionOwner is the owner of a session's transcript.
func SessionOwner(id SessionID) Owner { return Owner(id) }

// SubAgentOwner is the owner of the transcript of agent's work on task.
func SubAgentOwner(task TaskID, agent AgentName) Owner {
	return Owner(string(task) + "/" + string(agent))
}

// Task returns the task and agent of a sub-agent's owner; ok is false for a
// session.
func (o Owner) Task() (task TaskID, agent AgentName, ok bool) {
	t, a, found := strings.Cut(string(o), "/")
	if !found {
		return "", "", false
	}
	return TaskID(t), AgentName(a), true
}

// A StepKey names one model call. It is the same on every attempt, which is
// what lets the store keep the first outcome and refuse a second.
type StepKey struct {
	Owner Owner `json:"owner"`
	Turn  int   `json:"turn"` // from 1
	Step  int   `json:"step"` // from 1
}

// String returns k as "owner:turn:step".
func (k StepKey) String() string { return fmt.Sprintf("%s:%d:%d", k.Owner, k.Turn, k.Step) }

// A CallKey names one tool call of a step.
type CallKey struct {
	StepKey
	Index int `json:"index"` // position among the step's calls, from 1
}

// String returns k as "owner:turn:step:index".
func (k CallKey) String() string { return fmt.Sprintf("%s:%d", k.StepKey, k.Index) }

// Strings returns words of a type of their own, as ids, names and roles are, as
// plain strings.
func Strings[T ~string](words []T) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return list
}
