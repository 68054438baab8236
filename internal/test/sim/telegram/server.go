// Package telegram is a simulated Telegram Bot API server, for tests and to try
// errand on: it keeps the platform's rules, records what people would see, and fails
// when it is ordered to.
//
// What it knows is a part of https://core.telegram.org/bots/api; a method it
// does not know is answered as Telegram answers one that does not exist.
package telegram

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options is how the platform behaves. Its zero value is how Telegram does.
type Options struct {
	// PerChat and PerBot are how many messages a bot may send in a second, to one
	// chat and altogether; default 1 and 30. PerGroup is how many to one group in
	// a minute; default 20. Below zero: as many as it likes.
	PerChat, PerBot, PerGroup int
	// First is the first number of a bot's messages and updates, so that they differ
	// from those of another run of this platform.
	First int
	// WebhookRetry is how soon a webhook that did not answer 200 is called again,
	// at first; default 1 s, doubled up to a minute.
	WebhookRetry time.Duration
	// NoDrafts simulates a self-hosted server that is older than sendMessageDraft.
	NoDrafts bool
	Now      func() time.Time // default time.Now
}

// A Server is the platform. It outlives the processes that talk to it, and is
// safe for concurrent use.
type Server struct {
	opts Options

	mu      sync.Mutex
	bots    map[string]*Bot // by token
	people  map[int64]*Person
	chats   []*Chat
	files   map[string]*stored // by their id
	calls   []Call
	faults  map[string][]Fault
	changed chan struct{}
	next    int64 // ids of people, groups, files, callbacks
}

// A Call is a request that a bot made.
type Call struct {
	Method string
	Params map[string]string
	At     time.Time
}

// New returns a platform with nobody on it.
func New(o Options) *Server {
	def := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	def(&o.PerChat, 1)
	def(&o.PerBot, 30)
	def(&o.PerGroup, 20)
	if o.WebhookRetry == 0 {
		o.WebhookRetry = time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{opts: o, bots: map[string]*Bot{}, people: map[int64]*Person{}, files: map[string]*stored{},
		faults: map[string][]Fault{}, changed: make(chan struct{}), next: 1000}
}

// Changed returns a channel that is closed at the next thing that happens.
func (s *Server) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// happened wakes all waiters. The caller holds mu.
func (s *Server) happened() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Calls returns the requests to a method, in order.
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Call
	for _, c := range s.calls {
		if strings.EqualFold(c.Method, method) {
			list = append(list, c)
		}
	}
	return list
}

func (s *Server) id() int64 { s.next++; return s.next }

// methods by their name in lower case: Telegram does not mind the case.
var methods = map[string]func(*Server, *request) (any, error){
	"getme": (*Server).getMe, "getupdates": (*Server).getUpdates,
	"setwebhook": (*Server).setWebhook, "deletewebhook": (*Server).deleteWebhook, "getwebhookinfo": (*Server).webhookInfo,
	"sendmessage": (*Server).sendMessage, "senddocument": (*Server).sendDocument, "editmessagetext": (*Server).editMessageText,
	"editmessagereplymarkup": (*Server).editMarkup, "deletemessage": (*Server).deleteMessage,
	"sendmessagedraft": (*Server).sendMessageDraft,
	"sendchataction":   (*Server).sendChatAction, "answercallbackquery": (*Server).answerCallback,
	"setmycommands": (*Server).setMyCommands, "getmycommands": (*Server).getMyCommands,
	"deletemycommands": (*Server).deleteMyCommands, "setmessagereaction": (*Server).setReaction, "getfile": (*Server).getFile, "getchat": (*Server).getChat,
}

// A request is a call of a method.
type request struct {
	*http.Request
	bot    *Bot
	params map[string]string
}

func (r *request) number(name string) int64 {
	n, _ := strconv.ParseInt(r.params[name], 10, 64)
	return n
}

func (r *request) truth(name string) bool {
	v, _ := strconv.ParseBool(r.params[name])
	return v
}

// object reads a parameter that is JSON; false if it is not there.
func (r *request) object(name string, to any) (bool, error) {
	raw := r.params[name]
	if raw == "" {
		return false, nil
	}
	if err := json.Unmarshal([]byte(raw), to); err != nil {
		return false, bad("can't parse " + strings.ReplaceAll(name, "_", " ") + " JSON object")
	}
	return true, nil
}

// ServeHTTP answers /bot<token>/<method> and /file/bot<token>/<path>.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, file := strings.CutPrefix(r.URL.Path, "/file/")
	token, method, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, "/"), "bot"), "/")
	number, secret, shaped := strings.Cut(token, ":")
	if _, err := strconv.ParseInt(number, 10, 64); !ok || !shaped || secret == "" || err != nil {
		reply(w, nil, &refusal{code: 404, text: "Not Found"})
		return
	}
	s.mu.Lock()
	bot := s.bots[token]
	s.mu.Unlock()
	if bot == nil {
		reply(w, nil, &refusal{code: 401, text: "Unauthorized"})
		return
	}
	if file {
		s.download(w, method)
		return
	}
	params, err := parameterize(r)
	if err != nil {
		reply(w, nil, bad(err.Error()))
		return
	}
	do := methods[strings.ToLower(method)]
	if do == nil || s.opts.NoDrafts && strings.EqualFold(method, "sendMessageDraft") {
		reply(w, nil, &refusal{code: 404, text: "Not Found: method not found"})
		return
	}
	s.answer(w, &request{r, bot, params}, method, do)
}

// answer carries a call out, with the fault that was ordered for it.
func (s *Server) answer(w http.ResponseWriter, r *request, method string, do func(*Server, *request) (any, error)) {
	s.mu.Lock()
	s.calls = append(s.calls, Call{method, r.params, s.opts.Now()})
	fault := s.takeFault(method)
	s.happened()
	s.mu.Unlock()
	switch fault.Kind {
	case TooMany:
		after := max(1, fault.RetryAfter)
		reply(w, nil, &refusal{429, "Too Many Requests: retry after " + strconv.Itoa(after), parameters{RetryAfter: after}})
		return
	case Broken:
		reply(w, nil, &refusal{code: 500, text: "Internal Server Error"})
		return
	case BadGateway:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		io.WriteString(w, "<html><head><title>502 Bad Gateway</title></head></html>")
		return
	case Refuse:
		reply(w, nil, forbidden("bot was blocked by the user"))
		return
	case BadEntities:
		reply(w, nil, bad("can't parse entities: unsupported"))
		return
	case DieBefore:
		fault.met()
		panic(http.ErrAbortHandler)
	case DieAfter:
		if result, err := do(s, r); err != nil {
			s.putBack(method, fault) // nothing was done, as of what comes too soon
			reply(w, result, err)
			return
		}
		fault.met()
		panic(http.ErrAbortHandler)
	case Slow:
		select {
		case <-time.After(fault.For):
		case <-r.Context().Done():
			return
		}
	}
	result, err := do(s, r)
	reply(w, result, err)
}

func reply(w http.ResponseWriter, result any, err error) {
	w.Header().Set("Content-Type", "application/json")
	a := answer{OK: err == nil, Result: result}
	var no *refusal
	switch {
	case errors.As(err, &no):
		a.Code, a.Description = no.code, no.text
		if no.parameters != (parameters{}) {
			a.Parameters = &no.parameters
		}
		w.WriteHeader(no.code)
	case err != nil:
		a.Code, a.Description = 500, "Internal Server Error"
		w.WriteHeader(500)
	}
	json.NewEncoder(w).Encode(a)
}

// parameterize reads the parameters from wherever Telegram takes them: the query,
// a form of either kind, or a JSON object.
func parameterize(r *http.Request) (map[string]string, error) {
	params := map[string]string{}
	take := func(v url.Values) {
		for name := range v {
			params[name] = v.Get(name)
		}
	}
	take(r.URL.Query())
	// What says no type, or one that cannot be read, is taken for a form, as a
	// request without a body is.
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	r.Body = http.MaxBytesReader(nil, r.Body, mostUpload+1<<20)
	switch kind {
	case "application/json":
		var body map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil && err != io.EOF {
			return nil, errors.New("can't parse request JSON object")
		}
		for name, raw := range body {
			var text string
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			params[name] = text
		}
	case "multipart/form-data":
		// A form without any field is what a library sends for no parameters.
		if err := r.ParseMultipartForm(10 << 20); err != nil && !errors.Is(err, io.EOF) {
			return nil, errors.New("can't parse the form")
		}
		if r.MultipartForm != nil {
			take(r.MultipartForm.Value)
		}
	default:
		if err := r.ParseForm(); err != nil {
			return nil, errors.New("can't parse the form")
		}
		take(r.PostForm)
	}
	// Read the rest of the body, too. Before its end, net/http does not notice that the
	// client is gone, and a long call would continue.
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, errors.New("can't read the request")
	}
	return params, nil
}
