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
	Role string `json:"role" description:"the author: \"user\" or a name"`
	Text string `json:"text"`

	Content string `json:"content,omitempty" description:"another name of text, as in other APIs"`
}

type triggerBody struct {
	Agent       string        `json:"agent" required:"true" description:"one agent, or several separated by commas"`
	Task        string        `json:"task" required:"true" description:"the task for the agents"`
	Messages    []saidMessage `json:"messages" description:"messages of your conversation for the task, oldest first; errand keeps the last 20"`
	Context     *api.Context  `json:"context,omitempty" description:"instead of messages: one of your conversations in errand; the task gets its last messages"`
	DeliverTo   string        `json:"deliver_to,omitempty" description:"one of your chats that also gets the result: telegram/finn (your private chat on that account), telegram, telegram/finn/42, the name of an agent that has its own account, or a session id"`
	User        string        `json:"user" description:"name of the author of messages with the role user"`
	Expect      api.Expect    `json:"expect" enum:"report,decision" description:"decision: each agent answers YES, NO or ABSTAIN"`
	CallbackURL string        `json:"callback_url" description:"address for the webhook at the end, signed as in Standard Webhooks; a public address, or one that the operator allows"`
	WaitSeconds int           `json:"wait_seconds" description:"wait up to this many seconds for the end, at most 45; 0: answer at once"`
}

type triggerIn struct {
	Key  string `header:"Idempotency-Key" description:"a repeated request with the same key returns the same task; with another body it is refused"`
	Body triggerBody
}

type triggered struct {
	api.Task
	URL string `json:"url" description:"address of the task"`
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
		return task, badRequest("wait_seconds", "wait_seconds must be a number from 0 to %d", longestWait)
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
