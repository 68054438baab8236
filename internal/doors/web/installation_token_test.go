package web

import (
	"net/http/httptest"
	"testing"
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
