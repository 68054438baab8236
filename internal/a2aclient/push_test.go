package a2aclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"

	"errand"
	"errand/internal/a2aclient"
)

// TestPushIsAskedFor proves that a peer whose card says that it can push is told where and with
// what secret, and that one which does not take that is asked without.
func TestPushIsAskedFor(t *testing.T) {
	for _, test := range []struct {
		name           string
		capable, takes bool
		want           []string
	}{
		{"it can", true, true, []string{"https://errand.example.org/a2a-push s3cret"}},
		{"it cannot", false, true, []string{" "}},
		{"it cannot after all", true, false, []string{"https://errand.example.org/a2a-push s3cret", " "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked []string
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			mux.HandleFunc("GET /card", func(w http.ResponseWriter, _ *http.Request) {
				w.Write([]byte(`{"name":"Oracle","capabilities":{"pushNotifications":` + string(must(json.Marshal(test.capable))) + `},
					"supportedInterfaces":[{"url":"` + server.URL + `/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`))
			})
			mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
				var in struct {
					ID     any
					Params struct {
						Configuration struct {
							Push struct{ URL, Token string } `json:"taskPushNotificationConfig"`
						}
					}
				}
				if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
					t.Error(err)
				}
				push := in.Params.Configuration.Push
				asked = append(asked, push.URL+" "+push.Token)
				w.Header().Set("Content-Type", "application/json")
				answer := `"result":{"task":{"id":"p-1","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`
				if push.URL != "" && !test.takes {
					answer = `"error":{"code":-32003,"message":"no push"}`
				}
				w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(must(json.Marshal(in.ID))) + `,` + answer + `}`))
			})
			peer := must(a2aclient.New(a2aclient.Options{Card: server.URL + "/card", Push: "https://errand.example.org/a2a-push"}))
			told, err := peer.Start(t.Context(), errand.PeerOrder{Message: "m-1", Text: "the question", Push: "s3cret"})
			if err != nil || told.ID != "p-1" || !slices.Equal(asked, test.want) {
				t.Errorf("it is asked %q, want %q; it begins as %+v, %v", asked, test.want, told, err)
			}
		})
	}
}

// A pushRecorder knows one secret.
type pushRecorder struct {
	err   error
	heard int
}

func (h *pushRecorder) HandlePush(_ context.Context, secret string) (bool, error) {
	if secret != "s3cret" {
		return false, nil
	}
	h.heard++
	return true, h.err
}

// TestReceiver proves how a push is answered, and that one for nothing known is counted.
func TestReceiver(t *testing.T) {
	for _, test := range []struct {
		name, method, header, secret string
		body                         string
		err                          error
		status                       int
		heard                        int
		refused                      int64
	}{
		{"known", "POST", "A2A-Notification-Token", "s3cret", `{"task":{}}`, nil, 204, 1, 0},
		{"known, by the other name", "POST", "X-A2A-Notification-Token", "s3cret", `{"task":{}}`, nil, 204, 1, 0},
		{"known, as credentials", "POST", "Authorization", "Bearer s3cret", `{"task":{}}`, nil, 404, 0, 1},
		{"of nothing known", "POST", "X-A2A-Notification-Token", "other", `{"task":{}}`, nil, 404, 0, 1},
		{"without a secret", "POST", "A2A-Notification-Token", "", `{"task":{}}`, nil, 404, 0, 1},
		{"not heard", "POST", "A2A-Notification-Token", "s3cret", `{}`, errors.New("down"), 503, 1, 0},
		{"not pushed", "GET", "A2A-Notification-Token", "s3cret", ``, nil, 405, 0, 0},
		{"too long", "POST", "A2A-Notification-Token", "s3cret", strings.Repeat("x", 2<<20), nil, 400, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &pushRecorder{err: test.err}
			receiver := a2aclient.NewReceiver(h, slog.New(slog.DiscardHandler))
			r := httptest.NewRequest(test.method, a2aclient.PushPath, strings.NewReader(test.body))
			r.Header.Set(test.header, test.secret)
			w := httptest.NewRecorder()
			receiver.ServeHTTP(w, r)
			if w.Code != test.status || h.heard != test.heard || receiver.Refused() != test.refused {
				t.Errorf("it is answered with %d, heard %d times, %d refused", w.Code, h.heard, receiver.Refused())
			}
		})
	}
}

// TestPushOfModule proves that what the sender of the protocol's own module pushes is heard. The
// senders of the other modules are in the checks with npm.
func TestPushOfModule(t *testing.T) {
	h := &pushRecorder{}
	server := httptest.NewServer(a2aclient.NewReceiver(h, slog.New(slog.DiscardHandler)))
	defer server.Close()
	sender := push.NewHTTPPushSender(&push.HTTPSenderConfig{FailOnError: true, AllowPrivateNetworks: true})
	err := sender.SendPush(t.Context(), &a2a.PushConfig{URL: server.URL, Token: "s3cret"}, &a2a.Task{ID: "p-1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}})
	if err != nil || h.heard != 1 {
		t.Errorf("it is heard %d times, %v", h.heard, err)
	}
}

// slow hears until it may answer.
type slow struct {
	began chan struct{}
	over  chan struct{}
}

func (s slow) HandlePush(context.Context, string) (bool, error) {
	s.began <- struct{}{}
	<-s.over
	return true, nil
}

// TestOnePushAtATime proves that a peer that does not answer when it is looked at holds up
// the pushes with its own secret, and nobody else's.
func TestOnePushAtATime(t *testing.T) {
	h := slow{make(chan struct{}), make(chan struct{})}
	receiver := a2aclient.NewReceiver(h, slog.New(slog.DiscardHandler))
	pushed := func(secret string) int {
		r := httptest.NewRequest("POST", a2aclient.PushPath, nil)
		r.Header.Set("A2A-Notification-Token", secret)
		w := httptest.NewRecorder()
		receiver.ServeHTTP(w, r)
		return w.Code
	}
	codes := make(chan int, 2)
	go func() { codes <- pushed("one") }()
	<-h.began
	if code := pushed("one"); code != 429 {
		t.Errorf("a second push of the same is answered with %d", code)
	}
	go func() { codes <- pushed("other") }()
	<-h.began
	close(h.over)
	for range 2 {
		if code := <-codes; code != 204 {
			t.Errorf("a push is answered with %d", code)
		}
	}
}
