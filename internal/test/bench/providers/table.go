package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/test/servicetest"
	"errand/internal/test/sim/models"
)

// A Row is what became of one provider. Each field is yes, – where the provider has no
// such thing, or what went wrong.
type Row struct {
	Provider  string
	Wire      string
	Stream    string // the reply came in pieces
	Tools     string // a tool was called
	Steps     string // a turn of three model calls ended with its reply
	Reasoning string // what the provider had handed out came back to it
	Cached    string // input tokens that the provider knew from the request before
	Stop      string // what /stop did at the provider: cancelled, or hung up
	Kill      string // how often an answer was paid in whose middle the process was killed
}

const (
	yes  = "yes"
	none = "–"
)

// A subject is a provider, with the agent that thinks with it.
type subject struct {
	agent      string
	api        string
	background bool
	server     *models.Server
	url        string
	row        Row
}

func newSubjects() []*subject {
	var list []*subject
	add := func(kind models.Kind, agent, api string, background bool) {
		wire := api
		if background {
			wire += ", background"
		}
		list = append(list, &subject{agent: agent, api: api, background: background, server: models.New(kind), row: Row{Provider: string(kind), Wire: wire}})
	}
	for _, kind := range models.Kinds() {
		agent := strings.ReplaceAll(string(kind), ".", "")
		if kind == models.OpenAI {
			add(kind, agent, "responses", false)
			add(kind, agent+"bg", "responses", true)
			continue
		}
		add(kind, agent, "chat", false)
	}
	return list
}

// Table runs everything and returns what became of it. What errand logs goes to log.
func Table(ctx context.Context, log io.Writer) (rows []Row, err error) {
	dir, err := os.MkdirTemp("", "errand-providers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	subjects := newSubjects()
	for _, s := range subjects {
		server := httptest.NewServer(s.server)
		defer server.Close()
		defer server.CloseClientConnections()
		s.url = server.URL
	}
	if err := writeConfig(dir, subjects); err != nil {
		return nil, err
	}
	ports, err := devserver.FreePorts("127.0.0.1", 1)
	if err != nil {
		return nil, err
	}
	if err := killInCalls(ctx, dir, ports[0], subjects, log); err != nil {
		return nil, err
	}
	a, err := start(ctx, dir, ports[0], log)
	if err != nil {
		return nil, err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		a.Stop(stopping)
	}()
	if err := afterKill(ctx, a, subjects); err != nil {
		return nil, err
	}
	for _, s := range subjects {
		if err := errors.Join(s.turn(ctx, a), s.stop(ctx, a)); err != nil {
			return nil, fmt.Errorf("%s: %w", s.agent, err)
		}
		rows = append(rows, s.row)
	}
	return rows, nil
}

func (s *subject) turn(ctx context.Context, a *app.App) error {
	chat := "turn-" + s.agent
	events, cancel := a.Store.Bus().Subscribe(core.NewSessionKey(core.WebRoute(chat), app.Owner))
	defer cancel()
	before := s.server.Counts()
	key, err := send(ctx, a, chat, s.agent, "use list_pending_async_agents twice")
	if err != nil {
		return err
	}
	text, err := reply(ctx, a, key)
	if err != nil {
		return err
	}
	after := s.server.Counts()
	s.row.Steps = verdict(text == "Done in 3 steps." && after.Generations-before.Generations == 3, text)
	s.row.Tools = verdict(after.Generations-before.Generations > 1, "not called")
	s.row.Reasoning, s.row.Cached = none, none
	if s.server.HandsOut() {
		s.row.Reasoning = verdict(after.GivenBack-before.GivenBack == 2, "left out")
	}
	if s.server.CountsCached() {
		s.row.Cached = verdict(after.Cached > before.Cached, "nothing")
	}
	pieces := 0
	for replied := false; !replied; {
		select {
		case e := <-events:
			replied = e.Type == core.EventReply
			if e.Type == core.EventDelta {
				pieces++
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.row.Stream = verdict(pieces > 0, "at once")
	return nil
}

func verdict(ok bool, otherwise string) string {
	if ok {
		return yes
	}
	return otherwise
}

func (s *subject) stop(ctx context.Context, a *app.App) error {
	s.server.Hold()
	before := s.server.Counts()
	key, err := send(ctx, a, "stop-"+s.agent, s.agent, slowly)
	if err != nil {
		return err
	}
	if !s.server.Await(patience, func(c models.Counts) bool { return c.Pieces > before.Pieces }) {
		return errors.New("not called")
	}
	if _, err := servicetest.StopChat(ctx, a.Service, actor.Actor{Person: app.Owner, Role: core.MasterAdmin}, key, false); err != nil {
		return err
	}
	ended := s.server.Await(patience, func(c models.Counts) bool {
		if s.background {
			return c.Cancelled > before.Cancelled
		}
		return c.HungUp > before.HungUp
	})
	switch {
	case ended && s.background:
		s.row.Stop = "cancelled"
	case ended:
		s.row.Stop = "hung up"
	default:
		s.row.Stop = "goes on"
	}
	s.server.Release()
	return nil
}

// awaitKept waits until the store has the answers that are made in the background.
func awaitKept(ctx context.Context, dir string, subjects []*subject) error {
	want := 0
	for _, s := range subjects {
		if s.background {
			want++
		}
	}
	s, err := store.Open(ctx, store.Options{SQLite: filepath.Join(dir, "data", "errand.db")})
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		n, err := s.PendingResponses(ctx)
		if err != nil || n >= want {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("no answer in the background was noted")
		case <-tick.C:
		}
	}
}

// Render is the table in Markdown.
func Render(rows []Row) string {
	var b strings.Builder
	line := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line("provider", "wire", "stream", "tools", "two steps", "reasoning back", "cached", "/stop", "killed in a call")
	line("---", "---", "---", "---", "---", "---", "---", "---", "---")
	for _, r := range rows {
		line(r.Provider, r.Wire, r.Stream, r.Tools, r.Steps, r.Reasoning, r.Cached, r.Stop, r.Kill)
	}
	return b.String()
}
