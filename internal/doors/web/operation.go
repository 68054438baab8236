package web

import (
	"encoding/json"
	"net/http"
	"reflect"
)

// An operation has a route, and is described in /api/openapi.json.
type operation struct {
	name      string
	pattern   string // of [http.ServeMux]
	summary   string
	about     string       // details
	in        reflect.Type // see [decode]
	body      string       // media type of a body that is not JSON
	answers   []answer     // when it succeeds
	isMessage bool         // the runner counts it as a message
	linked    bool         // it answers with a page and a link to the next
	runner    bool         // the runner of operations checks the rights

	serve func(http.ResponseWriter, *http.Request) error
}

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

// reply writes an empty list as [].
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
