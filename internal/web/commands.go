package web

import (
	"net/http"

	"errand/internal/rights"
)

// A Command is what can be typed after a slash, for the list of them beside where one writes.
type Command struct {
	Name  string `json:"name"`
	Usage string `json:"usage" description:"how it is typed"`
	About string `json:"about" description:"what it does, in the person's language"`
	Takes bool   `json:"takes,omitempty" description:"words stand behind it"`
}

// getCommands lists the commands that the person may use.
func (s *Server) getCommands(r *http.Request, _ nothing) ([]Command, error) {
	var list []Command
	if s.Commands == nil {
		return list, nil
	}
	// For a person, whatever program shows it to them.
	for _, c := range s.Commands(s.Backend.TextsFor(callerOf(r).Language, language(r)).Language().Tag) {
		if s.Backend.MayUse(actor(r), rights.Command, c.Name) == nil {
			list = append(list, c)
		}
	}
	return list, nil
}
