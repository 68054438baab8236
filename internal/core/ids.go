package core

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// A SessionID identifies one durable conversation. It is a UUID; /reset replaces it.
type SessionID string

func NewSessionID() SessionID { return SessionID(uuid.NewString()) }

// A TaskID identifies a task: "t-" and eight characters that are easy to read aloud. It is also the
// id of its Delegation workflow.
type TaskID string

// alphabet omits similar characters: 0 and o, 1 and l, i, u and v.
const alphabet = "23456789abcdefghjkmnpqrstwxyz"

// NewTaskID returns a random task id. It is unique only when the store has accepted it: after a
// conflict, the caller needs another.
func NewTaskID() TaskID { return TaskID("t-" + ShortID(8)) }

// A ReminderID identifies a reminder: "r-" and eight characters.
type ReminderID string

func NewReminderID() ReminderID { return ReminderID("r-" + ShortID(8)) }

// An ArtifactID identifies an artifact: "a-" and eight characters.
type ArtifactID string

func NewArtifactID() ArtifactID { return ArtifactID("a-" + ShortID(8)) }

// ShortID returns n random characters that are easy to read aloud.
func ShortID(n int) string {
	var b strings.Builder
	raw := make([]byte, 1)
	for b.Len() < n {
		rand.Read(raw)
		// 232 is the largest multiple of 29 in a byte. Larger values would favour the first
		// letters.
		if raw[0] < 232 {
			b.WriteByte(alphabet[raw[0]%29])
		}
	}
	return b.String()
}

// A PersonID identifies a person, whichever identity they write from.
type PersonID string

// Everyone is the person in the key of a session that all people of a chat share.
const Everyone PersonID = "everyone"

// NewPersonID returns a random person id: "p-" and eight characters.
func NewPersonID() PersonID { return PersonID("p-" + ShortID(8)) }

// An AgentName is the name of an agent of the roster, in lower case.
type AgentName string

// A SessionKey identifies the conversation of one person in one chat, across all its session ids.
// It is the id of the Session workflow: session/<channel>/<account>/<chat>/<thread or ->/<person>,
// each part escaped.
type SessionKey string

// NewSessionKey returns the key of a person's conversation on a route.
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

// Parse returns the route and the person of a key.
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

// Shared reports whether all people of a chat share the conversation, so that it must not contain
// private data.
func (k SessionKey) Shared() bool {
	_, person, err := k.Parse()
	return err == nil && person == Everyone
}

// An Owner is the owner of a transcript: a session, by its id, or a sub-agent's work on a task,
// such as "t-7k3m9q2x/sasha". The second form is also the id of the SubAgent workflow.
type Owner string

// SessionOwner returns the owner of a session's transcript.
func SessionOwner(id SessionID) Owner { return Owner(id) }

// SubAgentOwner returns the owner of the transcript of an agent's work on a task.
func SubAgentOwner(task TaskID, agent AgentName) Owner {
	return Owner(string(task) + "/" + string(agent))
}

// Task returns the task and agent of a sub-agent's owner; ok is false for a session.
func (o Owner) Task() (task TaskID, agent AgentName, ok bool) {
	t, a, found := strings.Cut(string(o), "/")
	if !found {
		return "", "", false
	}
	return TaskID(t), AgentName(a), true
}

// A StepKey identifies one model call. It is the same in every attempt, so that the store keeps
// only the first outcome.
type StepKey struct {
	Owner Owner `json:"owner"`
	Turn  int   `json:"turn"` // from 1
	Step  int   `json:"step"` // from 1
}

// String returns k as "owner:turn:step".
func (k StepKey) String() string { return fmt.Sprintf("%s:%d:%d", k.Owner, k.Turn, k.Step) }

// A CallKey identifies one tool call of a step.
type CallKey struct {
	StepKey
	Index int `json:"index"` // position among the step's calls, from 1
}

// String returns k as "owner:turn:step:index".
func (k CallKey) String() string { return fmt.Sprintf("%s:%d", k.StepKey, k.Index) }

// Strings converts ids, names or roles to strings.
func Strings[T ~string](words []T) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return list
}
