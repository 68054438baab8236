package openaiwire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"errand"
	"errand/internal/service"
)

// A turn is what a client says, and where.
type turn struct {
	model string
	chat  string // of the person's own, by name; empty: one for this request alone
	input turnInput
	tools *errand.ClientTools
}

type turnInput struct {
	before []line // what came before the last, and what the program tells the agent
	after  string // the item of an earlier response, if the client names one in its place
	text   string // the last
	files  []service.SentFile

	outputs []errand.ClientOutput // what came of calls since an agent has said something
	size    int                   // of outputs, bytes
	known   map[string]string     // names of the calls that the request tells of, by id
	unknown string                // a call that has an output there, and that the request does not tell of
}

// A line is a message of a conversation that the client has.
type line struct{ who, text string }

// chatHeader names the chat, before all else that may. openWebUIHeader is what Open WebUI calls
// its own chat.
const (
	chatHeader      = "X-Errand-Chat"
	openWebUIHeader = "X-OpenWebUI-Chat-Id"
)

const chatPrefix = "v1-"

// A reply is what came of a turn.
type reply struct {
	chat   string
	id     string // of the response
	late   string // what stands before the reply: results that came since the last, the answer to a command
	event  errand.Event
	text   string
	calls  []errand.ClientCall
	reason string        // why it ends: stop, tool_calls, length or content_filter
	usage  *errand.Usage // nil: the caller may not know it, or it could not be read
}

// usageOf is what a reply has used; nil for a caller who may not know it. If the usage
// cannot be read, the reply is sent without it.
func (s *Server) usageOf(ctx context.Context, q *request, e errand.Event) *errand.Usage {
	used, err := s.Backend.TurnUsage(ctx, q.by, e.Session, e.Turn)
	if err == nil {
		return &used
	}
	if known := (*service.Error)(nil); !errors.As(err, &known) {
		s.Logger.Warn("what a reply has used is not known", "session", e.Session, "turn", e.Turn, "error", err)
	}
	return nil
}

// A reader gets a reply as it comes.
type reader interface {
	// accepted is called once the message is, with the id of the response: from then on the
	// reply comes, though it may take long.
	accepted(id string) error
	// piece is called with each piece. Those that came are what the reply begins with; where
	// they are not, for the agent has begun anew, the reply follows behind an empty line.
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
		id = errand.ShortID(16)
	}
	if err := s.place(ctx, q, &in, id); err != nil {
		return reply{}, err
	}
	alone := in.chat == ""
	out := reply{chat: in.chat}
	if alone { // and again the same, where the request is
		out.chat = errand.UnnamedChats + digest(id)
	}
	route, err := service.WebRoute(out.chat)
	if err != nil {
		return reply{}, err
	}
	key := errand.NewSessionKey(route, q.by.Person)
	fresh := alone
	if !alone {
		before, err := s.Backend.LastEvents(ctx, q.by, key, 1)
		if err != nil {
			return reply{}, err
		}
		fresh = len(before) == 0
	}
	if agent != "" && fresh {
		if _, err := s.Backend.NewSession(ctx, q.by, key, agent, id+"-new"); err != nil {
			return reply{}, err
		}
	}
	m := service.Message{ID: id, Text: in.input.text, Files: in.input.files, Tools: in.tools, Outputs: in.input.outputs}
	if fresh {
		m.Text = in.input.whole()
	}
	conversation, err := s.Backend.Converse(ctx, q.by, route, m)
	if err != nil {
		return reply{}, err
	}
	defer conversation.Close()
	q.accepted = true
	message, err := s.Backend.MessageEvent(ctx, q.by, key, conversation.MessageID)
	if err != nil {
		return reply{}, err
	}
	out.id = responseID(out.chat, message)
	if err := to.accepted(out.id); err != nil {
		return reply{}, err
	}
	if out.late, err = s.lateBefore(ctx, q.by, key, message); err != nil {
		return reply{}, err
	}
	if out.late != "" {
		if err := to.piece(out.late); err != nil {
			return reply{}, err
		}
	}
	switch {
	case conversation.Answer != "" && !conversation.HasMessage: // a command
		out.text, out.reason, out.usage = conversation.Answer, "stop", &errand.Usage{}
		return out, to.piece(out.text)
	case conversation.Answer != "":
		out.late += conversation.Answer + "\n\n"
		if err := to.piece(conversation.Answer + "\n\n"); err != nil {
			return reply{}, err
		}
	case message == 0:
		return reply{}, invalid("messages", "there is nothing in the message that an agent takes")
	}
	p := pieces{to: to.piece}
	out.event, err = conversation.Reply(ctx, func(int) error { return nil }, p.take)
	switch {
	case errors.Is(err, context.DeadlineExceeded) || err != nil && q.stopping.Err() != nil:
		return reply{}, errLate
	case err != nil:
		return reply{}, err
	case out.event.Type != errand.EventReply && out.event.Type != errand.EventQuestion:
		return reply{}, &wireError{http.StatusBadGateway, "server_error", "no_reply", "", out.event.Text}
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

type whole struct{}

func (whole) accepted(string) error { return nil }
func (whole) piece(string) error    { return nil }

// pieces hand on what is generated.
type pieces struct {
	to        func(string) error
	sent      strings.Builder
	meanwhile string // results that came late, in the middle of the reply: they follow it
}

func (p *pieces) take(e errand.Event) error {
	switch {
	case e.Type == errand.EventLate:
		p.meanwhile += betweenResults + e.Text
	case e.Task != "":
		return nil
	case e.Type == errand.EventDelta:
		p.sent.WriteString(e.Text)
		return p.to(e.Text)
	case (e.Type == errand.EventReset || e.Type == errand.EventStep) && p.sent.Len() > 0:
		p.sent.Reset() // what comes now is another call's, and the reply may be that alone
		return p.to("\n\n")
	}
	return nil
}

// end hands on what is missing of the whole.
func (p *pieces) end(text string) error {
	rest, ok := strings.CutPrefix(text, p.sent.String())
	if !ok {
		rest = "\n\n" + text // the reply was changed
	}
	if rest += p.meanwhile; rest == "" {
		return nil
	}
	return p.to(rest)
}

func (s *Server) textOf(ctx context.Context, q *request, key errand.SessionKey, e errand.Event) (string, []errand.ClientCall, error) {
	if e.Cause == errand.ToolCalls {
		got, err := s.Backend.ClientCalls(ctx, q.by, key, e)
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

// place finds the conversation whose calls have the outputs of a request that names none: the
// agent goes on there. Where they are no open calls of errand's, but of those that the
// client tells of, the agent reads all of it as what was before. id is the message's.
func (s *Server) place(ctx context.Context, q *request, in *turn, id string) error {
	if in.chat != "" || len(in.input.outputs) == 0 {
		return nil
	}
	chat := ""
	for i, o := range in.input.outputs {
		route, waits, err := s.Backend.ClientCallOf(ctx, q.by, o.Call)
		if err != nil {
			return err
		}
		if !waits && route.Chat != "" { // the same request may come again
			event, err := s.Backend.MessageEvent(ctx, q.by, errand.NewSessionKey(route, q.by.Person), id)
			if err != nil {
				return err
			}
			waits = event > 0
		}
		if !waits || i > 0 && route.Chat != chat {
			chat = ""
			break
		}
		chat = route.Chat
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

// betweenResults stands between a reply and a result that came late.
const betweenResults = "\n\n---\n\n"

// lateBefore are the results that came between the last reply and a message: a client of this
// API hears of them with the answer to that.
func (s *Server) lateBefore(ctx context.Context, by service.Actor, key errand.SessionKey, message int64) (string, error) {
	if message == 0 {
		return "", nil // a command has none
	}
	events, err := s.Backend.EventsBefore(ctx, by, key, message, mostLate)
	return lateOf(events), err
}

// lateOf are the results since the last reply. A turn that failed has told nobody of those
// before it.
func lateOf(events []errand.Event) string {
	var late string
	for _, e := range events {
		switch e.Type {
		case errand.EventReply, errand.EventQuestion:
			late = ""
		case errand.EventLate:
			late += e.Text + betweenResults
		}
	}
	return late
}

// whole is what an agent reads that was not there before.
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
