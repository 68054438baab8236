package web

import (
	"encoding/json"
	"net/http"
	"reflect"
)

// An operation is one thing that the API does. The list of them is both what is
// routed and what /api/openapi.json describes.
type operation struct {
	name      string // which no other has: that of the method of package client, in lower case
	pattern   string // as of [http.ServeMux]; the table of rights says who may use it
	summary   string
	about     string       // what the summary does not say
	in        reflect.Type // what a request says, see [decode]
	body      string       // media type of a body that is not JSON
	answers   []answer     // how it succeeds
	isMessage bool         // it counts as a message
	linked    bool         // it answers with a page, and says where the next is

	serve func(http.ResponseWriter, *http.Request) error
}

// An answer is one way in which an operation succeeds.
type answer struct {
	status int
	about  string
	media  string
	body   reflect.Type // nil: not JSON
}

const (
	jsonMedia   = "application/json"
	streamMedia = "text/event-stream"
)

func does[In, Out any](name, pattern, summary string, do func(*http.Request, In) (Out, error), options ...option) operation {
	o := operation{name: name, pattern: pattern, summary: summary, in: reflect.TypeFor[In](),
		answers: []answer{{http.StatusOK, summary, jsonMedia, reflect.TypeFor[Out]()}}}
	for _, set := range options {
		set(&o)
	}
	status := o.answers[0].status
	o.serve = func(w http.ResponseWriter, r *http.Request) error {
		var in In
		if err := decode(w, r, &in); err != nil {
			return err
		}
		out, err := do(r, in)
		if err != nil {
			return err
		}
		return reply(w, status, out)
	}
	return o
}

func writes[In any](name, pattern, summary string, write func(http.ResponseWriter, *http.Request, In) error, options ...option) operation {
	o := operation{name: name, pattern: pattern, summary: summary, in: reflect.TypeFor[In]()}
	for _, set := range options {
		set(&o)
	}
	o.serve = func(w http.ResponseWriter, r *http.Request) error {
		var in In
		if err := decode(w, r, &in); err != nil {
			return err
		}
		return write(w, r, in)
	}
	return o
}

// An option says more of an operation.
type option func(*operation)

// answered says how an operation of [does] succeeds, where that is not 200 or the
// summary does not say it.
func answered(status int, about string) option {
	return func(o *operation) { o.answers[0].status, o.answers[0].about = status, about }
}

func gives[T any](status int, about, media string) option {
	return func(o *operation) {
		o.answers = append(o.answers, answer{status, about, media, reflect.TypeFor[T]()})
	}
}

func givesRaw(about, media string) option {
	return func(o *operation) { o.answers = append(o.answers, answer{http.StatusOK, about, media, nil}) }
}

// takes says of what type the body is, where that is not JSON and the operation reads
// it by itself.
func takes(media string) option { return func(o *operation) { o.body = media } }

func about(text string) option { return func(o *operation) { o.about = text } }

// atMessageRate is for what sets something to work without a message: it counts at the rate
// of messages, otherwise it would be the way around that.
func atMessageRate(o *operation) { o.isMessage = true }

// reply writes JSON. A list that is empty is a list.
func reply(w http.ResponseWriter, status int, v any) error {
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.IsNil() {
		v = []struct{}{}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", jsonMedia)
	w.WriteHeader(status)
	if _, err := w.Write(append(raw, '\n')); err != nil {
		return nil // the client is gone
	}
	return nil
}

func mapped[From, To any](list []From, err error, f func(From) To) ([]To, error) {
	out := make([]To, 0, len(list))
	for _, one := range list {
		out = append(out, f(one))
	}
	return out, err
}
