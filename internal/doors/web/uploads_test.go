package web

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/service"
)

// withFile is a message with a file of so many bytes.
func withFile(size int) string {
	return `{"text":"look","files":[{"name":"a.bin","data":"` + base64.StdEncoding.EncodeToString(make([]byte, size)) + `"}]}`
}

// TestManyLargeMessages proves that however many large messages come at once, from however
// many people, only so much of them is in memory: the others are told when to come again, and
// are taken then. Small ones are taken meanwhile.
func TestManyLargeMessages(t *testing.T) {
	const people, each = 6, 2
	m := &memory{}
	taken, may := make(chan core.PersonID, people*each), make(chan struct{})
	m.accepts = func(by actor.Actor) {
		taken <- by.Person
		<-may
	}
	s := newServer(t, m, nil)
	s.uploads.wait = time.Second
	for i := range people {
		id := core.PersonID(fmt.Sprint("p-", i))
		m.people[id], m.logins["token-"+string(id)] = core.Person{ID: id, Role: core.Guest}, id
	}
	body := withFile(core.MaxFile)
	send := func(i int, body string) *httptest.ResponseRecorder {
		return askAs(s, fmt.Sprint("token-p-", i%people), "POST", "/api/sessions/main/messages?wait=false", strings.NewReader(body), int64(len(body)))
	}
	heap := func() int64 {
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return int64(now.HeapAlloc)
	}
	before := heap()
	answers := make(chan *httptest.ResponseRecorder, people*each)
	next := func() *httptest.ResponseRecorder {
		select {
		case w := <-answers:
			return w
		case <-time.After(30 * time.Second):
			t.Fatalf("no answer; %d messages are taken at once, and %d MB held", len(taken), (heap()-before)>>20)
			return nil
		}
	}
	for i := range people * each {
		go func() { answers <- send(i, body) }()
	}
	for range people*each - 3 {
		if w := next(); w.Code != http.StatusTooManyRequests || !strings.Contains(w.Body.String(), `"code":"no_room"`) || w.Header().Get("Retry-After") != "10" {
			t.Fatalf("one too many is answered with %d %v: %s", w.Code, w.Header(), w.Body)
		}
	}
	who := map[core.PersonID]bool{}
	for range 3 {
		who[<-taken] = true
	}
	if len(who) != 3 {
		t.Errorf("taken are messages of %v, want of three people", who)
	}
	if held := heap() - before; held > 128<<20 {
		t.Errorf("%d MB are held", held>>20)
	}
	go func() { answers <- send(0, `{"text":"hello"}`) }()
	<-taken
	close(may)
	for range 4 {
		if w := next(); w.Code != http.StatusAccepted {
			t.Errorf("what is taken is answered with %d %s", w.Code, w.Body)
		}
	}
	if w := send(4, body); w.Code != http.StatusAccepted {
		t.Errorf("sent again, it is answered with %d %s", w.Code, w.Body)
	}
}

// TestRoom proves that whoever has much under way waits for themselves, and that nobody
// else does.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUploads()
		first, err := u.acquire(t.Context(), "ada", api.MaxMessage)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		refused := make(chan error, 5)
		for range cap(refused) {
			go func() {
				_, err := u.acquire(t.Context(), "ada", api.MaxMessage)
				refused <- err
			}()
		}
		synctest.Wait()
		for _, other := range []core.PersonID{"bob", "mia"} {
			release, err := u.acquire(t.Context(), other, api.MaxMessage-1<<20)
			if err != nil || time.Since(began) > 0 {
				t.Fatalf("%s waits for %s: %v", other, time.Since(began), err)
			}
			defer release()
		}
		for range cap(refused) {
			var no *service.Error
			if err := <-refused; !errors.As(err, &no) || no.Kind != service.KindTooMany || no.RetryAfter <= 0 || time.Since(began) != u.wait {
				t.Errorf("after %s it is %v", time.Since(began), err)
			}
		}
		if _, err := u.acquire(t.Context(), "gus", 1<<20); err != nil {
			t.Errorf("what still fits is refused: %v", err)
		}
		first()
		if _, err := u.acquire(t.Context(), "ada", 2<<20); err != nil {
			t.Errorf("what was given back is not there: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := u.acquire(gone, "eve", api.MaxMessage); !errors.Is(err, context.Canceled) {
			t.Errorf("whoever is gone is told %v", err)
		}
	})
}

// A source is the body of a request, which comes byte by byte if it is slow.
type source struct {
	io.Reader
	every time.Duration
	read  int
}

func (s *source) Read(p []byte) (int, error) {
	if s.every > 0 {
		time.Sleep(s.every)
		p = p[:1]
	}
	n, err := s.Reader.Read(p)
	s.read += n
	return n, err
}

// ask has a server answer a request of the owner, without a network; length -1: the request
// does not say how long it is.
func ask(s *Server, method, path string, body io.Reader, length int64) *httptest.ResponseRecorder {
	return askAs(s, testKey, method, path, body, length)
}

func askAs(s *Server, token, method, path string, body io.Reader, length int64) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, body)
	r.ContentLength, r.Host = length, "localhost"
	r.Header.Set("Authorization", "Bearer "+token)
	if path == "/login" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// A pipeListener accepts what its tests dial.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	c, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l pipeListener) Close() error { close(l); return nil }

func (pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (l pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	l <- far
	return near, nil
}

// TestSlowSender proves that a sender of a large message byte by byte holds room for some
// minutes and no longer.
func TestSlowSender(t *testing.T) {
	for _, length := range []int64{2 << 20, -1} {
		synctest.Test(t, func(t *testing.T) {
			s, l := newServer(t, &memory{reply: true}, nil), make(pipeListener)
			ctx, cancel := context.WithCancel(t.Context())
			var serving sync.WaitGroup
			serving.Go(func() { s.Serve(ctx, l) })
			defer serving.Wait()
			defer cancel()
			transport := &http.Transport{DialContext: l.dial}
			defer transport.CloseIdleConnections()
			body := io.MultiReader(strings.NewReader(strings.Repeat(" ", maxBody+1)), &source{Reader: strings.NewReader(strings.Repeat(" ", maxBody)), every: 20 * time.Second})
			r, err := http.NewRequestWithContext(ctx, "POST", "http://localhost/api/sessions/main/messages", body)
			if err != nil {
				t.Fatal(err)
			}
			r.ContentLength = length
			r.Header.Set("Authorization", "Bearer "+testKey)
			began := time.Now()
			resp, err := transport.RoundTrip(r)
			if err != nil {
				t.Fatalf("after %s: %v", time.Since(began), err)
			}
			answer, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(answer), `"code":"slow"`) || time.Since(began) > 6*time.Minute {
				t.Errorf("after %s it is %d %s", time.Since(began), resp.StatusCode, answer)
			}
			if _, err := s.uploads.acquire(t.Context(), "owner", api.MaxMessage); err != nil {
				t.Errorf("it still holds room: %v", err)
			}
			time.Sleep(time.Minute) // the sender notices
		})
	}
}

// TestRoomWhileReplying proves that a large message holds no room while its reply is waited
// for.
func TestRoomWhileReplying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, &memory{replyTimeout: time.Hour}, nil)
		body := withFile(2 << 20)
		answered := make(chan int, 1)
		go func() {
			answered <- ask(s, "POST", "/api/sessions/main/messages", strings.NewReader(body), int64(len(body))).Code
		}()
		synctest.Wait()
		began := time.Now()
		if _, err := s.uploads.acquire(t.Context(), "owner", api.MaxMessage); err != nil || time.Since(began) > 0 {
			t.Errorf("after %s there is room: %v", time.Since(began), err)
		}
		select {
		case code := <-answered:
			t.Errorf("it does not wait for a reply: %d", code)
		default:
		}
		if code := <-answered; code != http.StatusAccepted {
			t.Errorf("it is answered with %d", code)
		}
	})
}

// TestTooFastWithMegabytes proves that whoever is too fast is told so, and when to come
// again, before a large body is read; and that a small one is read first: it may be /stop,
// or what was accepted before.
func TestTooFastWithMegabytes(t *testing.T) {
	s := newServer(t, &memory{reply: true, tooFast: service.TooMany("too_fast", 7*time.Second, "refusal.fast", "seconds", 7)}, nil)
	for _, test := range []struct {
		name, body string
		says       bool // how long it is
		status     int
		read       int64 // at most
	}{
		{"large", withFile(5 << 20), true, http.StatusTooManyRequests, 0},
		{"large, which it does not say", withFile(5 << 20), false, http.StatusTooManyRequests, 3 << 20},
		{"small", `{"text":"/stop"}`, true, http.StatusOK, 1 << 20},
	} {
		whole := strings.NewReader(test.body)
		length := int64(-1)
		if test.says {
			length = whole.Size()
		}
		w := ask(s, "POST", "/api/sessions/main/messages", struct{ io.Reader }{whole}, length)
		if read := whole.Size() - int64(whole.Len()); w.Code != test.status || read > test.read {
			t.Errorf("%s: %d after %d bytes, want %d after %d at most: %s", test.name, w.Code, read, test.status, test.read, w.Body)
		}
		if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") != "7" {
			t.Errorf("%s: %v", test.name, w.Header())
		}
	}
}

// TestTooLarge proves that whatever takes a body refuses one that is too large, clearly, and
// does not read on where it says so.
func TestTooLarge(t *testing.T) {
	s := newServer(t, &memory{}, nil)
	requests := map[string]int64{"POST /login": maxForm, "POST /login/link": maxForm, "POST /login/ask": maxForm}
	for _, o := range s.operations {
		_, ok := o.in.FieldByName("Body")
		switch {
		case o.in == reflect.TypeFor[api.SendMessageInput]():
			requests[o.pattern] = api.MaxMessage
		case o.body != "":
			requests[o.pattern] = core.MaxFile
		case ok:
			requests[o.pattern] = maxBody
		}
	}
	if len(requests) < 15 {
		t.Fatalf("only %d requests have a body", len(requests))
	}
	for pattern, most := range requests {
		method, path, _ := strings.Cut(pattern, " ")
		for _, name := range []string{"chat", "id", "of", "server", "code", "channel", "account"} {
			path = strings.ReplaceAll(path, "{"+name+"}", "x1")
		}
		for _, length := range []int64{most + 1, -1} {
			body := &source{Reader: io.LimitReader(zeros{}, most+1)}
			w := ask(s, method, path, body, length)
			if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), `"code":"too_large"`) {
				t.Errorf("%s with %d bytes: %d %s", pattern, length, w.Code, w.Body)
			}
			if length > 0 && body.read > maxBody+1 {
				t.Errorf("%s: %d bytes of it are read", pattern, body.read)
			}
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
