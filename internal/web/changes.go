package web

import (
	"encoding/json"
	"fmt"
	"net/http"

	"errand/internal/service"
)

type changesIn struct {
	ofPerson
}

// A changeView says which lists are not what they were.
type changeView struct {
	Lists []string `json:"lists" enum:"tasks,questions,deliveries" description:"those to read again; empty: the stream is there, and what changes from now on is told"`
}

var listNames = []struct {
	list service.Lists
	name string
}{{service.ListsTasks, "tasks"}, {service.ListsQuestions, "questions"}, {service.ListsDeliveries, "deliveries"}}

// getChanges streams word of changes, so that whoever shows a list has to read it only
// when there is something to read.
func (s *Server) getChanges(w http.ResponseWriter, r *http.Request, in changesIn) error {
	end, err := s.streams.begin(actor(r).Person)
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := s.untilEnd(r.Context())
	defer cancel()
	var out *stream
	may := s.mayReadOn(r)
	err = s.Backend.FollowLists(ctx, actor(r), in.Person, service.ListReading{Beat: s.Beat, OnChange: func(lists service.Lists) error {
		if out == nil {
			out = newStream(w)
			return out.change(lists)
		}
		switch err := may(int(lists)); {
		case err != nil:
			return err
		case lists == 0:
			return out.beat()
		}
		return out.change(lists)
	}})
	if out == nil {
		return err
	}
	return nil // whoever read is gone, or may not any more, or the server ends
}

func (o *stream) change(lists service.Lists) error {
	view := changeView{Lists: []string{}}
	for _, l := range listNames {
		if lists&l.list != 0 {
			view.Lists = append(view.Lists, l.name)
		}
	}
	raw, err := json.Marshal(view)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(o.w, "data: %s\n\n", raw); err != nil {
		return err
	}
	return o.c.Flush()
}
