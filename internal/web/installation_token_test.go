package web

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"errand"
	"errand/internal/service"
)

// TestInstallationTokenIsNoPerson proves that whoever shows the token of the installation is
// known for a program, and whoever shows the owner's key for the owner.
func TestInstallationTokenIsNoPerson(t *testing.T) {
	m := &memory{}
	s := newServer(t, m, func(o *Options) { o.Token, o.Key = "errand-of-the-installation", "the-key-of-the-owner" })
	for token, program := range map[string]bool{"errand-of-the-installation": true, "the-key-of-the-owner": false} {
		r := httptest.NewRequest("GET", "/api/me", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		by, err := s.identify(r)
		if err != nil {
			t.Fatal(err)
		}
		if (by.Actor == by.AsProgram()) != program {
			t.Errorf("%s is a program: %v", token, !program)
		}
	}
}

// TestLoginApprovesNothing proves that a page is told, in the language of its person, when its
// login approves nothing though its person does: where the program is that it was made by, or
// nobody knows who made it.
func TestLoginApprovesNothing(t *testing.T) {
	s := newServer(t, &memory{}, func(*Options) {})
	person := service.Actor{Person: "ada", Role: errand.MasterAdmin}
	for _, test := range []struct {
		by       service.Actor
		language string
		want     string
	}{
		{person, "en", ""},
		{person.AsProgram(), "en", "You cannot approve with this login"},
		{person.AsProgram(), "es", "Con este acceso no puedes aprobar"},
		{service.Actor{Person: "ben", Role: errand.Member}.AsProgram(), "en", ""},
	} {
		test.by.Language = test.language
		r := httptest.NewRequest("GET", "/api/me", nil)
		out, err := s.getMe(r.WithContext(context.WithValue(r.Context(), callerKey{}, caller{Actor: test.by, Login: "cookie"})), nothing{})
		if err != nil || !strings.HasPrefix(out.ApprovesNothing, test.want) || test.want == "" && out.ApprovesNothing != "" {
			t.Errorf("%s reads %q, want %q (%v)", test.by.Person, out.ApprovesNothing, test.want, err)
		}
	}
}
