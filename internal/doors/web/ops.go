package web

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/ops"
)

// mounted returns the operations of package api that have a route, with handlers and descriptions.
func (s *Server) mounted() []operation {
	var list []operation
	seen := map[string]bool{"": true}
	for _, op := range api.All() {
		spec := op.Spec()
		if seen[spec.Route] {
			continue
		}
		seen[spec.Route] = true
		o := operation{name: spec.Name, pattern: spec.Route, summary: spec.About, about: spec.More, in: op.In(), runner: true,
			isMessage: spec.Rate == api.RateMessage, answers: []answer{answerOf(op)}}
		if takesUpload(op) {
			o.body = spec.Media
		}
		_, o.linked = reflect.Zero(op.Out()).Interface().(page)
		o.serve = func(w http.ResponseWriter, r *http.Request) error { return s.run(w, r, op) }
		if f, ok := twoForms[spec.Route]; ok {
			o.answers = f.answers
			o.serve = func(w http.ResponseWriter, r *http.Request) error { return s.run(w, r, f.choose(r)) }
		}
		list = append(list, o)
	}
	return list
}

// twoForms has the routes with two forms of answers, each by an operation of its own. The
// operations share their input.
var twoForms = map[string]struct {
	choose  func(*http.Request) api.Any
	answers []answer
}{
	api.SendMessage.Route: {
		func(r *http.Request) api.Any {
			if strings.Contains(r.Header.Get("Accept"), streamMedia) && r.URL.Query().Get("wait") != "false" {
				return api.StreamReply
			}
			return api.SendMessage
		},
		[]answer{
			{http.StatusOK, "the reply", jsonMedia, reflect.TypeFor[api.MessageReply]()},
			{http.StatusOK, "the reply", streamMedia, reflect.TypeFor[core.Event]()},
			{http.StatusAccepted, api.AcceptedAnswer, jsonMedia, reflect.TypeFor[api.MessageAccepted]()},
		},
	},
	api.GetEvents.Route: {
		func(r *http.Request) api.Any {
			if r.URL.Query().Get("before") != "" {
				return api.ListEvents
			}
			return api.GetEvents
		},
		[]answer{
			{http.StatusOK, api.GetEvents.Answer, streamMedia, reflect.TypeFor[core.Event]()},
			{http.StatusOK, api.ListEvents.Answer, jsonMedia, reflect.TypeFor[[]core.Event]()},
		},
	},
}

// A page is an [api.List].
type page interface {
	Page() (items any, next string)
	Item() reflect.Type
}

func answerOf(op api.Any) answer {
	spec := op.Spec()
	a := answer{cmp.Or(spec.Status, http.StatusOK), cmp.Or(spec.Answer, spec.About), jsonMedia, op.Out()}
	switch out := reflect.Zero(op.Out()).Interface().(type) {
	case page:
		a.body = reflect.SliceOf(out.Item())
	case api.File:
		a.media, a.body = spec.Media, nil
	}
	if op.Streams() {
		a.media = streamMedia
	}
	return a
}

func takesUpload(op api.Any) bool {
	f, ok := op.In().FieldByName("Body")
	return ok && f.Type == reflect.TypeFor[api.Upload]()
}

func (s *Server) run(w http.ResponseWriter, r *http.Request, op api.Any) error {
	end := func() {}
	defer func() { end() }()
	out, err := s.call(r, op, ops.Call{Stored: func() { bodyDone(r) }, Sink: &sink{w: w},
		Read: func(in any) error {
			if op.Streams() && op.Spec().Rate == api.RateNone { // other streams count as messages
				begun, err := s.streams.begin(actorOf(r).Person)
				if err != nil {
					return err
				}
				end = begun
			}
			s.fill(r, in)
			return s.readInput(w, r, op, in)
		},
	})
	switch {
	case errors.Is(err, ops.ErrGone):
		return nil
	case err != nil:
		return err
	}
	return writeAnswer(w, r, op.Spec(), withLocalUI(r, out))
}

// call runs an operation for the caller of a request. Waits end when the server stops.
func (s *Server) call(r *http.Request, op api.Any, c ops.Call) (any, error) {
	ctx := r.Context()
	if op.Spec().Waits || op.Streams() {
		waits, cancel := s.untilEnd(ctx)
		defer cancel()
		ctx = waits
	}
	c.By, c.Again = s.reader(r), s.again(r)
	return s.Runner.Run(ctx, op, c)
}

// again returns a function that identifies the caller of a request again.
func (s *Server) again(r *http.Request) func() (actor.Actor, error) {
	return func() (actor.Actor, error) {
		now, err := s.identify(r)
		return now.Actor, err
	}
}

// reader returns the actor of a request, with the language of the person who reads the answer.
func (s *Server) reader(r *http.Request) actor.Actor {
	by := actorOf(r)
	if !isProgram(r) {
		by.Reads = s.readersTexts(r).Tag()
	}
	return by
}

// fill sets the fields of an input that only the door knows.
func (s *Server) fill(r *http.Request, in any) {
	switch in := in.(type) {
	case *api.GetMeInput:
		in.Login = callerOf(r).Login
	case *api.OpenChatInput:
		in.Login = callerOf(r).Login
	case *api.CreateLoginLinkInput:
		if in.PublicURL = s.PublicURL; s.Addresses != nil {
			in.Addresses = s.Addresses()
		}
	case *api.SetPushSubscriptionInput:
		in.Label = strings.Trim(browserName(r)+", "+deviceName(r), ", ")
	}
}

func (s *Server) readInput(w http.ResponseWriter, r *http.Request, op api.Any, in any) error {
	most := cmp.Or(op.Spec().MaxBody, maxBody)
	v := reflect.ValueOf(in).Elem()
	if takesUpload(op) {
		if err := decodeFields(r, r.URL.Query(), v); err != nil {
			return err
		}
		raw, err := readBody(w, r, most)
		v.FieldByName("Body").Set(reflect.ValueOf(api.NewUpload(raw)))
		return err
	}
	if !content.IsJSONDeclared(r.Header) {
		return errMediaType
	}
	return decodeAtMost(w, r, in, most)
}

func writeAnswer(w http.ResponseWriter, r *http.Request, spec api.Spec, out any) error {
	status := cmp.Or(spec.Status, http.StatusOK)
	switch out := out.(type) {
	case api.File:
		return writeFile(w, out, spec.Media)
	case page:
		items, next := out.Page()
		if next != "" {
			w.Header().Set("Link", "<"+nextPage(r.URL.Query(), next)+`>; rel="next"`)
		}
		return reply(w, status, items)
	case interface{ HTTPStatus() int }:
		status = out.HTTPStatus()
	}
	return reply(w, status, out)
}

// nextPage returns a relative address, which is valid behind any proxy.
func nextPage(q url.Values, cursor string) string {
	q.Set("after", cursor)
	return "?" + q.Encode()
}

// writeFile writes a file. Browsers save a file that has a name, and never render it as errand's
// page.
func writeFile(w http.ResponseWriter, f api.File, media string) error {
	h := w.Header()
	h.Set("Content-Type", cmp.Or(f.Type, media))
	if f.Name != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	}
	if f.Size > 0 {
		h.Set("Content-Length", strconv.FormatInt(f.Size, 10))
	}
	if f.Version > 0 {
		h.Set("X-Errand-Version", strconv.Itoa(f.Version))
	}
	if _, err := io.Copy(w, f); err != nil {
		panic(http.ErrAbortHandler) // otherwise the client would accept a part as the whole file
	}
	return nil
}

// A sink writes a stream as server-sent events.
type sink struct {
	w   http.ResponseWriter
	out *stream
}

func (s *sink) Open()       { s.out = newStream(s.w) }
func (s *sink) Beat() error { return s.out.beat() }

func (s *sink) Send(event any) error {
	if e, ok := event.(core.Event); ok {
		return s.out.send(e)
	}
	return s.out.data(event)
}
