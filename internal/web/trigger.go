package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"errand"
	"errand/internal/service"
)

// longestWait is how long a request waits for a task at most, in seconds.
const longestWait = 45

// A saidMessage is a message of a conversation that a program has.
type saidMessage struct {
	Role string `json:"role" description:"who said it, as \"user\" or a name"`
	Text string `json:"text"`

	Content string `json:"content,omitempty" description:"instead of text, as other APIs call it"`
}

type triggerBody struct {
	Agent       string           `json:"agent" required:"true" description:"one agent, or several with commas"`
	Task        string           `json:"task" required:"true" description:"what is to be done"`
	Messages    []saidMessage    `json:"messages" description:"messages of your conversation that the task needs, the oldest first; the last 20 are kept"`
	Context     *service.Context `json:"context,omitempty" description:"a conversation of yours that errand has, whose last messages the task needs, instead of messages"`
	DeliverTo   string           `json:"deliver_to,omitempty" description:"where the result is told, in the agent's voice: a chat of yours, as telegram/finn (your private chat on that account), telegram, telegram/finn/42, the name of an agent that has an account of its own, or a session id"`
	User        string           `json:"user" description:"who speaks in messages whose role is user, as agents read it"`
	Expect      service.Expect   `json:"expect" enum:"report,decision" description:"decision: each agent gives its verdict, YES, NO or ABSTAIN"`
	CallbackURL string           `json:"callback_url" description:"told of the end by a POST that is signed as Standard Webhooks has it; at a public address, or one that the operator allows"`
	WaitSeconds int              `json:"wait_seconds" description:"wait so many seconds for the result, 45 at most; 0: answer at once"`
}

type triggerIn struct {
	Key  string `header:"Idempotency-Key" description:"a request that comes again with the same key is the same task; with another body it is refused"`
	Body triggerBody
}

type triggered struct {
	taskView
	URL string `json:"url" description:"where the task is read"`
}

func (s *Server) postTrigger(w http.ResponseWriter, r *http.Request, in triggerIn) error {
	b := in.Body
	if b.WaitSeconds < 0 {
		return badRequest("wait_seconds", "wait_seconds is a number from 0 to %d", longestWait)
	}
	d := service.Delegation{Route: errand.Route{Channel: errand.ChannelWeb}, Agents: errand.AgentNames(b.Agent), Text: b.Task,
		Context: b.Context, DeliverTo: b.DeliverTo, Callback: b.CallbackURL, Key: strings.TrimSpace(in.Key), Decides: service.Decides{Expect: b.Expect}}
	for _, m := range b.Messages {
		if m.Role == "user" && b.User != "" {
			m.Role = b.User
		}
		d.Messages = append(d.Messages, errand.BriefingMessage{Who: m.Role, Text: cmp.Or(m.Text, m.Content)})
	}
	b.WaitSeconds = 0 // who comes again may wait otherwise
	raw, err := json.Marshal(b)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(raw)
	d.Body = hex.EncodeToString(sum[:])
	t, err := s.Backend.Delegate(r.Context(), actor(r), d)
	if err != nil {
		return err
	}
	if wait := min(in.Body.WaitSeconds, longestWait); wait > 0 && !t.State.Terminal() {
		ctx, cancel := s.untilEnd(r.Context())
		defer cancel()
		if t, err = s.Backend.AwaitTask(ctx, actor(r), string(t.ID), "", time.Duration(wait)*time.Second, s.mayReadOn(r)); err != nil {
			return err
		}
	}
	out := triggered{s.viewFor(r)(t), s.base(r) + "/api/tasks/" + url.PathEscape(string(t.ID))}
	w.Header().Set("Location", "/api/tasks/"+url.PathEscape(string(t.ID)))
	status := http.StatusAccepted
	if t.State.Terminal() {
		status = http.StatusOK
	}
	return reply(w, status, out)
}

type hooksIn struct {
	Limit int `query:"limit" default:"100" maximum:"1000" description:"at most so many, 100 by default"`
	inPage
	ofPerson
}

func (s *Server) getHooks(r *http.Request, in hooksIn, p service.Page) ([]service.Webhook, error) {
	return s.Backend.ListWebhooks(r.Context(), actor(r), in.Person, p)
}

type hookTryIn struct {
	Body struct {
		URL string `json:"url" required:"true"`
	}
}

func (s *Server) postHookTry(r *http.Request, in hookTryIn) (service.Tried, error) {
	return s.Backend.TryWebhook(r.Context(), actor(r), in.Body.URL)
}

type hookSecretIn struct {
	Body struct {
		Renew bool `json:"renew" description:"draw another one: what is sent from now on is signed with it"`
	}
}

type hookSecretOut struct {
	Secret string `json:"secret"`
}

func (s *Server) postHookSecret(r *http.Request, in hookSecretIn) (hookSecretOut, error) {
	secret, err := s.Backend.WebhookSecret(r.Context(), actor(r), in.Body.Renew)
	return hookSecretOut{secret}, err
}
