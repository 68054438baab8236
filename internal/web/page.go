package web

import (
	"net/http"
	"net/url"
	"reflect"

	"errand/internal/service"
)

type inPage struct {
	After string `query:"after" description:"what comes behind: as the Link of the page before says it (rel=\"next\"), which is there if the page is full. It means nothing else, and stays true when other entries come and go"`
}

// lists is an operation that answers with a page of a list, whose entries at puts in their
// places. What it takes embeds [inPage] and has a Limit; 0 is all of it.
func lists[In, Out any](name, pattern, summary string, list func(*http.Request, In, service.Page) ([]Out, error), at func(Out) service.Position, options ...option) operation {
	return pages(name, pattern, summary, func(r *http.Request, in In, p service.Page) ([]Out, service.Position, error) {
		out, err := list(r, in, p)
		if err != nil || p.Limit == 0 || len(out) < p.Limit {
			return out, nil, err
		}
		return out, at(out[len(out)-1]), nil
	}, options...)
}

// pages is lists for a list that says itself behind what its next page begins; nil: there is
// none.
func pages[In, Out any](name, pattern, summary string, page func(*http.Request, In, service.Page) ([]Out, service.Position, error), options ...option) operation {
	o := operation{name: name, pattern: pattern, summary: summary, in: reflect.TypeFor[In](), linked: true,
		answers: []answer{{http.StatusOK, summary, jsonMedia, reflect.TypeFor[[]Out]()}}}
	for _, set := range options {
		set(&o)
	}
	o.serve = func(w http.ResponseWriter, r *http.Request) error {
		var in In
		if err := decode(w, r, &in); err != nil {
			return err
		}
		input := reflect.ValueOf(in)
		after, err := service.ParseCursor(name, input.FieldByName("After").String())
		if err != nil {
			return err
		}
		out, next, err := page(r, in, service.Page{After: after, Limit: int(input.FieldByName("Limit").Int())})
		if err != nil {
			return err
		}
		if next != nil {
			w.Header().Set("Link", "<"+nextPage(r.URL.Query(), service.Cursor(name, next))+`>; rel="next"`)
		}
		return reply(w, http.StatusOK, out)
	}
	return o
}

// nextPage is the same list from a cursor on, relative to itself: it is true behind any proxy.
func nextPage(q url.Values, cursor string) string {
	q.Set("after", cursor)
	return "?" + q.Encode()
}
