package web

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/service"
	"errand/internal/texts"
)

type spanish struct{ *memory }

func (s spanish) Login(ctx context.Context, token string) (service.Actor, error) {
	by, err := s.memory.Login(ctx, token)
	by.Language = "es"
	return by, err
}

// TestLanguageOfProblems proves that a person reads on a page and at a terminal in their language what
// is refused, and a program in English, whoever it acts for.
func TestLanguageOfProblems(t *testing.T) {
	const english, inSpanish = "there is no GET /api/nothing", "no hay GET /api/nothing"
	login := testCookie + "=token-p-mia"
	tests := []struct {
		name, path string
		header     map[string]string
		want       string
	}{
		{"a page of theirs", "/api/nothing", map[string]string{"Authorization": "", "Cookie": login}, inSpanish},
		{"and its browser speaks another", "/api/nothing", map[string]string{"Authorization": "", "Cookie": login, "Accept-Language": "en-US,en;q=0.9"}, inSpanish},
		{"a program of theirs", "/api/nothing", map[string]string{"Authorization": "Bearer token-p-mia"}, english},
		{"and it has a browser's headers", "/api/nothing", map[string]string{"Authorization": "Bearer token-p-mia", "Accept-Language": "es"}, english},
		{"their terminal", "/api/nothing", map[string]string{"Authorization": "Bearer token-p-mia", "User-Agent": cliAgent, "Accept-Language": "es"}, inSpanish},
		{"a script of theirs", "/api/nothing", map[string]string{"Authorization": "Bearer token-p-mia", "User-Agent": cliAgent}, english},
		{"a wrong token", "/api/nothing", map[string]string{"Authorization": "Bearer wrong", "Accept-Language": "es"}, `"message":"token"`},
		{"a stranger's browser", "/api/nothing", map[string]string{"Authorization": "", "Accept-Language": "es-MX,es;q=0.9"}, "errand no sabe quién eres"},
		{"a stranger", "/api/nothing", map[string]string{"Authorization": ""}, "errand does not know who you are"},
		{"a page that is not there", "/nothing", map[string]string{"Authorization": "", "Cookie": login, "Accept": "text/html"}, `<html lang="es">`},
		{"and what it says", "/nothing", map[string]string{"Authorization": "", "Cookie": login, "Accept": "text/html"}, "Ir al chat"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &memory{}
			server := serve(t, m, func(o *Options) { o.Backend = spanish{m} })
			_, got := request(t, server, http.MethodGet, tt.path, "", tt.header)
			if !strings.Contains(got, tt.want) {
				t.Errorf("answer is %s, want %q", got, tt.want)
			}
		})
	}
}

type reminding struct{ spanish }

func (reminding) Reminders(context.Context, service.Actor, bool, service.Page) ([]service.Reminder, error) {
	r := service.Reminder{ID: "r-1"}
	r.Spec.At, r.Spec.Zone = time.Date(2026, 12, 24, 17, 0, 0, 0, time.UTC), "Europe/Oslo"
	r.When = texts.Shipped().Schedule(r.Spec)
	return []service.Reminder{r}, nil
}

// TestLanguageOfReminders proves that a person reads on a page in their language when
// a reminder comes, with the zone, and a program in English.
func TestLanguageOfReminders(t *testing.T) {
	m := &memory{}
	server := serve(t, m, func(o *Options) { o.Backend = reminding{spanish{m}} })
	for want, header := range map[string]map[string]string{
		`"when":"jueves, 24 de diciembre de 2026, 18:00 (Europe/Oslo)"`: {"Authorization": "", "Cookie": testCookie + "=token-p-mia"},
		`"when":"Thursday, 24 December 2026, 18:00 (Europe/Oslo)"`:      {"Authorization": "Bearer token-p-mia"},
	} {
		if status, got := request(t, server, http.MethodGet, "/api/reminders", "", header); status != http.StatusOK || !strings.Contains(got, want) {
			t.Errorf("answer is %d %s, want %s", status, got, want)
		}
	}
}

// TestLanguageOfTasks proves that a person reads on a page in their language how a task
// ended, and the marks on the reports of several agents, and a program as it is kept.
func TestLanguageOfTasks(t *testing.T) {
	const several, stopped = "t-7k3m9q2x", "t-8k3m9q2x"
	mia := errand.Origin{Person: "p-mia"}
	m := &memory{}
	server := serve(t, m, func(o *Options) { o.Backend = spanish{m} })
	m.tasks = map[errand.TaskID]errand.Task{
		several: {ID: several, State: errand.Completed, Agents: []errand.AgentName{"sasha", "finn"}, Origin: mia, Result: "## Sasha\nyes\n\n## Finn\n(failed) no model"},
		stopped: {ID: stopped, State: errand.Canceled, Agents: []errand.AgentName{"sasha"}, Origin: mia, Reason: errand.ReasonStopped, Error: errand.ReasonStopped.Text()},
	}
	person := map[string]string{"Authorization": "", "Cookie": testCookie + "=token-p-mia"}
	program := map[string]string{"Authorization": "Bearer token-p-mia", "Accept-Language": "es"}
	for _, tt := range []struct {
		task   string
		header map[string]string
		want   string
	}{
		{several, person, `yes\n\n## Finn\n(no lo ha conseguido) no model"`},
		{several, program, `yes\n\n## Finn\n(failed) no model"`},
		{stopped, person, `"error":"detenida por la persona"`},
		{stopped, program, `"error":"stopped by the person"`},
	} {
		if _, got := request(t, server, http.MethodGet, "/api/tasks/"+tt.task, "", tt.header); !strings.Contains(got, tt.want) {
			t.Errorf("answer is %s, want %s", got, tt.want)
		}
	}
}
