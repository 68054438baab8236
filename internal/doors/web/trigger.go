package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"errand/api"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/ops"
)

// longestWait is in seconds.
const longestWait = 45

type saidMessage struct {
	Role string `json:"role" description:"who said it, as \"user\" or a name"`
	Text string `json:"text"`

	Content string `json:"content,omitempty" description:"instead of text, as other APIs call it"`
}

type triggerBody struct {
	Agent       string        `json:"agent" required:"true" description:"one agent, or several with commas"`
	Task        string        `json:"task" required:"true" description:"what is to be done"`
	Messages    []saidMessage `json:"messages" description:"messages of your conversation that the task needs, the oldest first; the last 20 are kept"`
	Context     *api.Context  `json:"context,omitempty" description:"a conversation of yours that errand has, whose last messages the task needs, instead of messages"`
	DeliverTo   string        `json:"deliver_to,omitempty" description:"where the result is told, in the agent's voice: a chat of yours, as telegram/finn (your private chat on that account), telegram, telegram/finn/42, the name of an agent that has an account of its own, or a session id"`
	User        string        `json:"user" description:"who speaks in messages whose role is user, as agents read it"`
	Expect      api.Expect    `json:"expect" enum:"report,decision" description:"decision: each agent gives its verdict, YES, NO or ABSTAIN"`
	CallbackURL string        `json:"callback_url" description:"told of the end by a POST that is signed as Standard Webhooks has it; at a public address, or one that the operator allows"`
	WaitSeconds int           `json:"wait_seconds" description:"wait so many seconds for the result, 45 at most; 0: answer at once"`
}

type triggerIn struct {
	Key  string `header:"Idempotency-Key" description:"a request that comes again with the same key is the same task; with another body it is refused"`
	Body triggerBody
}

type triggered struct {
	api.Task
	URL string `json:"url" description:"where the task is read"`
}

func (s *Server) postTrigger(w http.ResponseWriter, r *http.Request) error {
	var in triggerIn
	created, err := s.call(r, api.CreateTask, ops.Call{Read: func(task any) (err error) {
		if !content.IsJSONDeclared(r.Header) {
			return errMediaType
		}
		if err := decode(w, r, &in); err != nil {
			return err
		}
		*task.(*api.CreateTaskInput), err = in.task()
		return err
	}})
	if err != nil {
		return err
	}
	t := created.(api.Task)
	if wait := min(in.Body.WaitSeconds, longestWait); wait > 0 && !t.State.Terminal() {
		ended, err := s.call(r, api.GetTask, ops.Call{Read: func(in any) error {
			*in.(*api.GetTaskInput) = api.GetTaskInput{TaskID: api.TaskID{ID: string(t.ID)}, Wait: wait}
			return nil
		}})
		if err != nil {
			return err
		}
		t = ended.(api.Task)
	}
	out := triggered{t, s.base(r) + "/api/tasks/" + url.PathEscape(string(t.ID))}
	w.Header().Set("Location", "/api/tasks/"+url.PathEscape(string(t.ID)))
	status := http.StatusAccepted
	if t.State.Terminal() {
		status = http.StatusOK
	}
	return reply(w, status, out)
}

// task returns the input of the operation that creates the task. Its hash is of the request.
func (in triggerIn) task() (task api.CreateTaskInput, err error) {
	b := in.Body
	if b.WaitSeconds < 0 {
		return task, badRequest("wait_seconds", "wait_seconds is a number from 0 to %d", longestWait)
	}
	task = api.CreateTaskInput{Body: api.NewTask{Agent: b.Agent, Text: b.Task, Context: b.Context, DeliverTo: b.DeliverTo, Expect: b.Expect},
		Callback: b.CallbackURL, Key: strings.TrimSpace(in.Key)}
	for _, m := range b.Messages {
		if m.Role == "user" && b.User != "" {
			m.Role = b.User
		}
		task.Messages = append(task.Messages, core.BriefingMessage{Who: m.Role, Text: cmp.Or(m.Text, m.Content)})
	}
	b.WaitSeconds = 0 // a repeated request may wait for another time
	raw, err := json.Marshal(b)
	sum := sha256.Sum256(raw)
	task.Hash = hex.EncodeToString(sum[:])
	return task, err
}
