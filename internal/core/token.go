package core

import "time"

const (
	TokenAPI   = "api"   // for a program of the person
	TokenLogin = "login" // for a browser that was admitted
	TokenLink  = "link"  // opens the pages once, in a browser that then gets its own login
)

// MinSecret is the length in bytes from which errand removes a secret from texts. A shorter one may
// occur in ordinary words.
const MinSecret = 8

// A Token lets its bearer act as a person. The store has only its SHA-256, which is enough because
// the token is random and as long as the hash.
type Token struct {
	ID      string    `json:"id"`
	Person  PersonID  `json:"person"`
	Kind    string    `json:"kind" enum:"api,login,link"`
	Name    string    `json:"name,omitempty"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
	// Parent is the API token that created this one, directly or through a login. This one expires
	// with it. Empty: none.
	Parent string `json:"parent,omitempty"`
	// Program means that the installation's token created it, which belongs to no person.
	Program bool `json:"program,omitempty"`
	// Scope limits it; empty: it may do everything that its person may.
	Scope string `json:"scope,omitempty" description:"read, chat, delegate or admin, several separated by spaces; omitted: everything that the person may do"`
	// Used is when it was last used, accurate to a few minutes; zero: never.
	Used time.Time `json:"used,omitzero" description:"when it was last used, within some minutes"`
}

// Bound returns the parent of the tokens that this token creates; empty: none.
func (t Token) Bound() string {
	if t.Kind == TokenAPI {
		return t.ID
	}
	return t.Parent
}
