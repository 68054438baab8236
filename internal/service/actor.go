package service

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
func (s *Service) May(by Actor, k rights.Kind, name string) error {
	if s.Rights.May(by.Role, k, name) {
		return nil
	}
	return Forbidden("%s is for the role %s and above; yours is %s", name, s.Rights.Name(s.Rights.Least(k, name)), s.Rights.Name(by.Role))
}

// Whose returns whose things a list shows: the actor's own, or, for those who
// may look at everybody's, those of the person asked for. An empty person asks
// for the actor's own; "*" for everybody's.
func (s *Service) Whose(by Actor, asked errand.PersonID) (errand.PersonID, error) {
	switch {
	case asked == "" || asked == by.Person:
		return by.Person, nil
	case !by.Role.Includes(errand.Partner):
		return "", Forbidden("only the roles %s and above may look at what belongs to others", s.Rights.Name(errand.Partner))
	case asked == "*":
		return "", nil
	}
	return asked, nil
}

// Forbidden says what somebody may not do.
func Forbidden(format string, args ...any) error {
	return &Error{http.StatusForbidden, "forbidden", fmt.Sprintf(format, args...)}
}
