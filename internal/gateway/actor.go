package gateway

import (
	"fmt"
	"net/http"

	"errand"
	"errand/internal/rights"
)

// An Actor is who does something, with the role they have now.
type Actor struct {
	Person   errand.PersonID `json:"id"`
	Role     errand.Role     `json:"role"`
	Name     string          `json:"name"`
	Language string          `json:"language,omitempty"`
}

// May fails where the actor's role is not enough for something.
func (g *Gateway) May(by Actor, k rights.Kind, name string) error {
	if g.Rights.May(by.Role, k, name) {
		return nil
	}
	return forbidden("%s is for the role %s and above; yours is %s", name, g.Rights.Name(g.Rights.Least(k, name)), g.Rights.Name(by.Role))
}

// Whose returns whose things a list shows: the actor's own, or, for those who
// may look at everybody's, those of the person asked for. An empty person asks
// for the actor's own; "*" for everybody's.
func (g *Gateway) Whose(by Actor, asked errand.PersonID) (errand.PersonID, error) {
	switch {
	case asked == "" || asked == by.Person:
		return by.Person, nil
	case !by.Role.Includes(errand.Partner):
		return "", forbidden("only the roles %s and above may look at what belongs to others", g.Rights.Name(errand.Partner))
	case asked == "*":
		return "", nil
	}
	return asked, nil
}

func forbidden(format string, args ...any) error {
	return &Error{http.StatusForbidden, "forbidden", fmt.Sprintf(format, args...)}
}
