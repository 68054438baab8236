package openaiwire

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

type turn struct {
	model string
	chat  string // name of a chat of the person; empty: one for this request only
	input turnInput
	tools *core.ClientTools
}

type turnInput struct {
	before []line // the earlier messages, and the program's instructions
	after  string // an item of an earlier response that the client refers to
	text   string // the last message
	files  []api.SentFile

	outputs []core.ClientOutput // outputs of tool calls since the assistant's last message
	size    int                 // of outputs, in bytes
	known   map[string]string   // names of the calls in the request, by id
	unknown string              // the first earlier output whose call is not in the request
}

type line struct{ who, text string }

// chatHeader has precedence over all other names of a chat. openWebUIHeader is Open WebUI's.
const (
	chatHeader      = "X-Errand-Chat"
	openWebUIHeader = "X-OpenWebUI-Chat-Id"
)

const chatPrefix = "v1-"

type reply struct {
	chat   string
	id     string // of the response
	late   string // text before the reply: late results, and the answer to a command
	event  core.Event
	text   string
	calls  []core.ClientCall
	reason string      // why the reply ends: stop, tool_calls, length or content_filter
	usage  *core.Usage // nil: unknown, or the caller may not read it
}

// usageOf returns nil if the caller may not read the usage, or if it cannot be read.
func (s *Server) usageOf(ctx context.Context, q *request, e core.Event) *core.Usage {
	used, err := ops.Do(ctx, s.Runner, api.GetTurnUsage, q.by, api.TurnUsageInput{Session: e.Session, Turn: e.Turn})
	if err != nil {
		s.Logger.Warn("cannot read the usage of a reply", "session", e.Session, "turn", e.Turn, "error", err)
	}
	return used
}

type reader interface {
	// accepted is called with the id of the response once the message is accepted.
	accepted(id string) error
	// piece is called with each piece of text. If the agent starts the reply again, it follows an
	// empty line.
	piece(string) error
}

func (s *Server) take(q *request, in turn, to reader) (reply, error) {
	ctx, cancel := context.WithTimeout(q.stopping, s.Wait)
	defer cancel()
	agent, err := s.agentOf(q, in.model)
	if err != nil {
		return reply{}, err
	}
	if most := s.MaxTools(agent); in.tools != nil && len(in.tools.Tools) > most {
		return reply{}, invalid("tools", fmt.Sprintf("there are %d tools; the model of this agent takes %d", len(in.tools.Tools), most))
	}
	id := q.Header.Get("Idempotency-Key")
	if id == "" {
		id = core.ShortID(16)
	}
	if err := s.place(ctx, q, &in, id); err != nil {
		return reply{}, err
	}
	alone := in.chat == ""
	out := reply{chat: in.chat}
	if alone { // a repeated request gets the same chat
		out.chat = core.UnnamedChats + digest(id)
	}
	route, err := service.WebRoute(out.chat)
	if err != nil {
		return reply{}, err
	}
	key := core.NewSessionKey(route, q.by.Person)
	fresh := alone
	if !alone {
		before, err := s.events(ctx, q, out.chat, api.EventsInput{Before: latest, Limit: 1})
		if err != nil {
			return reply{}, err
		}
		fresh = len(before) == 0
	}
	if agent != "" && fresh {
		reset := api.ResetChatInput{ChatName: api.ChatName{Chat: out.chat}}
		reset.Body.Agent, reset.Body.MessageID = string(agent), id+"-new"
		by := q.by
		by.Counted = true // with the message that follows
		if _, err := ops.Do(ctx, s.Runner, api.ResetChat, by, reset); err != nil {
			return reply{}, err
		}
	}
	p := pieces{to: to.piece}
	m := api.SendMessageInput{ChatName: api.ChatName{Chat: out.chat}, Tools: in.tools, Outputs: in.input.outputs, Within: s.Wait, Event: p.take}
	m.Body.MessageID, m.Body.Text, m.Body.Files = id, in.input.text, in.input.files
	if fresh {
		m.Body.Text = in.input.whole()
	}
	m.Accepted = func(got api.MessageReceipt) error {
		q.accepted = true
		return s.begin(ctx, q, got, &out, to)
	}
	answer, err := ops.Do(ctx, s.Runner, api.SendMessage, q.by, m)
	switch {
	case err != nil:
		return reply{}, err
	case answer.MessageReply == nil:
		return reply{}, errLate
	case answer.Command:
		out.text, out.reason, out.usage = answer.Reply.Text, "stop", &core.Usage{}
		return out, to.piece(out.text)
	}
	out.event = answer.Event
	switch {
	case out.event.Type != core.EventReply && out.event.Type != core.EventQuestion:
		if alone { // the program sends the whole request again, and reads no reply that follows
			stop := api.StopChatInput{ConversationKey: api.ConversationKey{Key: key}}
			if _, err := ops.Do(ctx, s.Runner, api.StopChat, q.by, stop); err != nil {
				return reply{}, err
			}
		}
		return reply{}, &wireError{http.StatusBadGateway, "server_error", cmp.Or(out.event.Cause, "no_reply"), "", out.event.Text}
	}
	text, calls, err := s.textOf(ctx, q, key, out.event)
	if err != nil {
		return reply{}, err
	}
	out.calls = calls
	out.text, out.reason = text+p.meanwhile, cmp.Or(out.event.Cause, "stop")
	out.usage = s.usageOf(ctx, q, out.event)
	return out, p.end(text)
}

// begin reports the id of the response, and sends the text before the reply.
func (s *Server) begin(ctx context.Context, q *request, got api.MessageReceipt, out *reply, to reader) (err error) {
	if got.EventErr != nil {
		return got.EventErr
	}
	out.id = responseID(out.chat, got.Event)
	if err := to.accepted(out.id); err != nil {
		return err
	}
	if out.late, err = s.lateBefore(ctx, q, out.chat, got.Event); err != nil {
		return err
	}
	switch {
	case got.Answer != "" && got.HasMessage: // the agent's reply follows the answer to the command
		out.late += got.Answer + "\n\n"
	case got.Answer == "" && got.Event == 0:
		return invalid("messages", "the message has nothing that an agent can read")
	}
	if out.late == "" {
		return nil
	}
	return to.piece(out.late)
}

type whole struct{}

func (whole) accepted(string) error { return nil }
func (whole) piece(string) error    { return nil }

type pieces struct {
	to        func(string) error
	sent      strings.Builder
	meanwhile string // late results that arrived during the reply; they follow it
}

func (p *pieces) take(e core.Event) error {
	switch {
	case e.Type == core.EventLate:
		p.meanwhile += betweenResults + e.Text
	case e.Task != "":
		return nil
	case e.Type == core.EventDelta:
		p.sent.WriteString(e.Text)
		return p.to(e.Text)
	case (e.Type == core.EventReset || e.Type == core.EventStep) && p.sent.Len() > 0:
		p.sent.Reset() // the next text is another model call's, and may be the whole reply
		return p.to("\n\n")
	}
	return nil
}

func (p *pieces) end(text string) error {
	rest, ok := strings.CutPrefix(text, p.sent.String())
	if !ok {
		rest = "\n\n" + text // the reply differs from the pieces
	}
	if rest += p.meanwhile; rest == "" {
		return nil
	}
	return p.to(rest)
}

func (s *Server) textOf(ctx context.Context, q *request, key core.SessionKey, e core.Event) (string, []core.ClientCall, error) {
	if e.Cause == core.ToolCalls {
		got, err := ops.Do(ctx, s.Runner, api.GetClientCalls, q.by, api.ClientCallsInput{Key: key, Session: e.Session, Turn: e.Turn})
		for i := range got.Calls {
			got.Calls[i].Name = clientName(got.Calls[i].Name)
		}
		return got.Text, got.Calls, err
	}
	if len(e.Options) == 0 {
		return e.Text, nil, nil
	}
	return e.Text + "\n\n- " + strings.Join(e.Options, "\n- "), nil, nil
}

// place chooses the conversation for a request that has tool outputs and names none: the one that
// waits for these outputs. If no conversation does, the agent reads the calls and outputs as
// history. id is the id of the message.
func (s *Server) place(ctx context.Context, q *request, in *turn, id string) error {
	if in.chat != "" || len(in.input.outputs) == 0 {
		return nil
	}
	chat := ""
	for i, o := range in.input.outputs {
		call, err := ops.Do(ctx, s.Runner, api.FindClientCall, q.by, api.FindClientCallInput{ID: o.Call})
		if err != nil {
			return err
		}
		if !call.Waits && call.Route.Chat != "" { // a repeated request
			event, err := ops.Do(ctx, s.Runner, api.GetMessageEvent, q.by, api.MessageEventInput{Chat: call.Route.Chat, Message: id})
			if err != nil {
				return err
			}
			call.Waits = event > 0
		}
		if !call.Waits || i > 0 && call.Route.Chat != chat {
			chat = ""
			break
		}
		chat = call.Route.Chat
	}
	if chat != "" {
		in.chat = chat
		return nil
	}
	for _, o := range in.input.outputs {
		if _, ok := in.input.known[o.Call]; !ok {
			return unknownCall(o.Call)
		}
	}
	in.input.past(in.input.known)
	if in.input.text == "" {
		in.input.text = "(The program has answered these calls. Go on.)"
	}
	return nil
}

const mostLate = 100

const betweenResults = "\n\n---\n\n"

// lateBefore returns the late results since the last reply, because clients of this API receive
// them only with the next answer.
func (s *Server) lateBefore(ctx context.Context, q *request, chat string, message int64) (string, error) {
	if message == 0 {
		return "", nil // a command has no event
	}
	events, err := s.events(ctx, q, chat, api.EventsInput{Before: eventID(message), Limit: mostLate})
	return lateOf(events), err
}

// As Before, latest selects the latest events.
const latest api.EventID = "9007199254740991"

func eventID(id int64) api.EventID { return api.EventID(strconv.FormatInt(id, 10)) }

func (s *Server) events(ctx context.Context, q *request, chat string, in api.EventsInput) ([]core.Event, error) {
	in.Chat = chat
	return ops.Do(ctx, s.Runner, api.ListEvents, q.by, in)
}

// lateOf ignores failed turns, because they delivered no late results.
func lateOf(events []core.Event) string {
	var late string
	for _, e := range events {
		switch e.Type {
		case core.EventReply, core.EventQuestion:
			late = ""
		case core.EventLate:
			late += e.Text + betweenResults
		}
	}
	return late
}

func (s turnInput) whole() string {
	if len(s.before) == 0 {
		return s.text
	}
	var b strings.Builder
	b.WriteString("(The conversation so far, as the program tells it by which this comes:)\n")
	for _, l := range s.before {
		b.WriteString(l.who + ": " + l.text + "\n")
	}
	b.WriteString("\n" + s.text)
	return b.String()
}
