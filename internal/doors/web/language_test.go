package web

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

type spanish struct{ *memory }

func (s spanish) Login(ctx context.Context, token string) (actor.Actor, error) {
	by, err := s.memory.Login(ctx, token)
	by.Language = "es"
	return by, err
}

// TestLanguageOfProblems proves that a person reads on a page in their language what is refused,
// and a program in English.
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
		{"a wrong token", "/api/nothing", map[string]string{"Authorization": "Bearer wrong", "Accept-Language": "es"}, `"message":"token"`},
		{"a stranger's browser", "/api/nothing", map[string]string{"Authorization": "", "Accept-Language": "es-MX,es;q=0.9"}, "errand no sabe quién eres"},
		{"a stranger", "/api/nothing", map[string]string{"Authorization": ""}, "errand does not know who you are"},
		{"a page that is not there", "/nothing", map[string]string{"Authorization": "", "Cookie": login, "Accept": "text/html"}, `<html lang="es">`},
		{"and what it says", "/nothing", map[string]string{"Authorization": "", "Cookie": login, "Accept": "text/html"}, "Ir al chat"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &memory{}
			server := serve(t, m, func(o *Options) { o.Logins = spanish{m} })
			_, got := request(t, server, http.MethodGet, tt.path, "", tt.header)
			if !strings.Contains(got, tt.want) {
				t.Errorf("answer is %s, want %q", got, tt.want)
			}
		})
	}
}

// TestLanguageOfReaders proves that an operation knows the language of a person who reads its
// answer on a page, and has none for a program.
func TestLanguageOfReaders(t *testing.T) {
	m := &memory{}
	server := serve(t, m, func(o *Options) {
		o.Logins = spanish{m}
		ops.Bind(o.Runner, api.GetTask, func(_ context.Context, by actor.Actor, _ api.GetTaskInput) (api.Task, error) {
			return api.Task{Task: core.Task{Title: by.Reads}}, nil
		})
	})
	for want, header := range map[string]map[string]string{
		`"title":"es"`: {"Authorization": "", "Cookie": testCookie + "=token-p-mia"},
		`"title":""`:   {"Authorization": "Bearer token-p-mia", "Accept-Language": "es"},
	} {
		if _, got := request(t, server, http.MethodGet, "/api/tasks/t-1", "", header); !strings.Contains(got, want) {
			t.Errorf("answer is %s, want %s", got, want)
		}
	}
}
