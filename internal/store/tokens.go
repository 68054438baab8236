package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"

	"errand"
)

// What a token is for.
const (
	TokenAPI   = "api"   // a program of the person's
	TokenLogin = "login" // a browser that was let in
	TokenLink  = "link"  // opens the pages once, in a browser that gets a login of its own for it
)

// tokenPrefix lets people, and what looks for leaked secrets, recognise one.
const tokenPrefix = "errand_"

// A Token lets whoever shows it act as a person. The store keeps its SHA-256,
// which is enough: it is as long as the hash, and drawn at random.
type Token struct {
	ID      string          `json:"id"`
	Person  errand.PersonID `json:"person"`
	Kind    string          `json:"kind" enum:"api,login,link"`
	Name    string          `json:"name,omitempty"`
	Created time.Time       `json:"created"`
	Expires time.Time       `json:"expires,omitzero"` // zero: never
	// Parent is the API token that this one was made by, itself or by a login of it:
	// this one does not outlive it. Empty: something else made it.
	Parent string `json:"parent,omitempty"`
	// Program says that it was made by the token of the installation, which is no person's.
	Program bool `json:"program,omitempty"`
	// Scope is what it is for; empty: all that its person may do.
	Scope string `json:"scope,omitempty" description:"what it is for: read, chat, delegate, admin, with spaces between them; left out: all that its person may do"`
	// Used is when it was last shown, to [usedEvery]; zero: never.
	Used time.Time `json:"used,omitzero" description:"when it was last shown, to some minutes"`
}

// usedEvery is how exactly it is known when a token was last shown: not every request is to
// write.
const usedEvery = 5 * time.Minute

// usedWithin is how long whoever shows a token waits at most for that to be noted.
const usedWithin = time.Second

// Bound is the parent of what this token makes; empty: none.
func (t Token) Bound() string {
	if t.Kind == TokenAPI {
		return t.ID
	}
	return t.Parent
}

// NewSecret draws what a token is: 32 random bytes, in text.
func NewSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw)
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(raw)
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// CreateToken makes a token of a person, a kind, a name and a parent. plain is shown
// once: it is kept nowhere. validFor 0 means that it does not expire before its parent.
// It fails with ErrNotFound where the person or the parent is gone.
func (s *Store) CreateToken(ctx context.Context, of Token, validFor time.Duration) (plain string, token Token, err error) {
	plain = NewSecret()
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		if _, err := personWhere(t, `WHERE p.id = ?`, of.Person); err != nil {
			return about(err, "person", of.Person)
		}
		token, err = t.makeToken(of, hashOf(plain), validFor)
		return err
	})
	if err != nil {
		return "", Token{}, err
	}
	return plain, token, nil
}

func (t *tx) makeToken(of Token, hash string, validFor time.Duration) (Token, error) {
	token, err := t.insertToken(of, hash, validFor)
	if err != nil {
		return token, err
	}
	return token, t.audit(DeedTokenMake, did{"token", token.ID, token.Person, token.Kind})
}

func (t *tx) insertToken(token Token, hash string, validFor time.Duration) (Token, error) {
	token.ID, token.Created = "k-"+errand.ShortID(8), at(t.now)
	if validFor > 0 {
		token.Expires = at(t.now + validFor.Microseconds())
	}
	var parent *string
	if token.Parent != "" {
		parent = &token.Parent
		var expires int64
		found, err := t.Value(&expires, `SELECT expires FROM tokens WHERE id = ? AND (expires = 0 OR expires > ?)`, token.Parent, t.now)
		if err == nil && !found {
			err = unknownToken(ErrNotFound)
		}
		if err != nil {
			return Token{}, err
		}
		if end := at(expires); expires > 0 && (token.Expires.IsZero() || end.Before(token.Expires)) {
			token.Expires = end
		}
	}
	_, err := t.Exec(`INSERT INTO tokens (id, hash, person, kind, name, created, expires, parent, program, scope) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		token.ID, hash, token.Person, token.Kind, token.Name, t.now, micros(token.Expires), parent, token.Program, token.Scope)
	return token, err
}

// PersonByToken returns who acts by a token, and the token. The person's role is at most that
// of the people whose tokens made this one. ErrNotFound stands for a token that was never made,
// is revoked or has expired: the caller does not learn which. A link acts for no person until
// it is redeemed.
func (s *Store) PersonByToken(ctx context.Context, plain string) (Person, Token, error) {
	var row struct {
		personRow
		Token, Kind, Parent, Scope string
		Program                    bool
		Used                       int64
	}
	found, err := s.read(ctx).Row(&row, `SELECT `+personColumns+`, t.id AS token, t.kind, COALESCE(t.parent, '') AS parent, t.program, t.scope, t.used
		FROM tokens t JOIN people p ON p.id = t.person WHERE t.hash = ? AND t.kind <> ? AND (t.expires = 0 OR t.expires > ?)`,
		hashOf(plain), TokenLink, micros(s.clock()))
	if err == nil && !found {
		err = ErrNotFound
	}
	person := row.person()
	for parent := row.Parent; parent != "" && err == nil; {
		var maker struct{ Role, Parent string }
		found, err = s.read(ctx).Row(&maker, `SELECT p.role, COALESCE(t.parent, '') AS parent FROM tokens t JOIN people p ON p.id = t.person WHERE t.id = ?`, parent)
		if err == nil && !found {
			err = ErrNotFound // it was revoked just now
		}
		person.Role, parent = errand.Lesser(person.Role, errand.Role(maker.Role)), maker.Parent
	}
	return person, Token{ID: row.Token, Kind: row.Kind, Parent: row.Parent, Program: row.Program, Scope: row.Scope, Used: at(row.Used)}, unknownToken(err)
}

// NoteTokenUsed notes that a token, as [Store.PersonByToken] has returned it, was shown.
func (s *Store) NoteTokenUsed(ctx context.Context, shown Token) error {
	now := s.clock()
	if now.Sub(shown.Used) < usedEvery {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, usedWithin)
	defer cancel()
	// One row and one condition: it decides nothing about who may what, and waits for no lock.
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE tokens SET used = ? WHERE id = ? AND used < ?`, micros(now), shown.ID, micros(now))
		return err
	})
}

// CreateLink makes a token of a person and a parent that [Store.RedeemLink] takes once.
// Those of the person that were never used and have expired go.
func (s *Store) CreateLink(ctx context.Context, of Token, validFor time.Duration) (plain string, token Token, err error) {
	plain = NewSecret()
	of.Kind = TokenLink
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		if _, err := personWhere(t, `WHERE p.id = ?`, of.Person); err != nil {
			return about(err, "person", of.Person)
		}
		if _, err := t.Exec(`DELETE FROM tokens WHERE person = ? AND kind = ? AND expires <= ?`, of.Person, TokenLink, t.now); err != nil {
			return err
		}
		token, err = t.makeToken(of, hashOf(plain), validFor)
		return err
	})
	if err != nil {
		return "", Token{}, err
	}
	return plain, token, nil
}

// RedeemLink ends a link and makes a login of its person and parent, called name, in one.
// It fails with ErrNotFound if the link was never made, was used or has expired.
func (s *Store) RedeemLink(ctx context.Context, link, name string, validFor time.Duration) (plain string, token Token, err error) {
	plain = NewSecret()
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		var row struct {
			Person, Parent, Scope string
			Program               bool
		}
		found, err := t.Row(&row, `SELECT person, COALESCE(parent, '') AS parent, program, scope FROM tokens WHERE hash = ? AND kind = ? AND expires > ?`, hashOf(link), TokenLink, t.now)
		if err != nil {
			return err
		}
		if !found {
			return unknownToken(ErrNotFound)
		}
		// On PostgreSQL another worker may be redeeming it too.
		if n, err := t.Exec(`DELETE FROM tokens WHERE hash = ?`, hashOf(link)); err != nil || n == 0 {
			return cmp.Or(err, unknownToken(ErrNotFound))
		}
		token, err = t.insertToken(Token{Person: errand.PersonID(row.Person), Kind: TokenLogin, Name: name, Parent: row.Parent, Program: row.Program, Scope: row.Scope}, hashOf(plain), validFor)
		return err
	})
	if err != nil {
		return "", Token{}, err
	}
	return plain, token, nil
}

// Tokens returns the tokens of a person, or everybody's, those that have expired
// too, the oldest first.
func (s *Store) Tokens(ctx context.Context, person errand.PersonID) ([]Token, error) {
	where, args := `TRUE`, []any{}
	if person != "" {
		where, args = `person = ?`, append(args, person)
	}
	return s.tokensWhere(ctx, where, args...)
}

// Token returns a token by its id, or ErrNotFound.
func (s *Store) Token(ctx context.Context, id string) (Token, error) {
	list, err := s.tokensWhere(ctx, `id = ?`, id)
	if err == nil && len(list) == 0 {
		err = NoToken(id)
	}
	if err != nil {
		return Token{}, err
	}
	return list[0], nil
}

// NoToken is the error for an id of no token.
func NoToken(id string) error { return about(ErrNotFound, "token", errand.Cut(id, 60)) }

func (s *Store) tokensWhere(ctx context.Context, where string, args ...any) ([]Token, error) {
	var rows []struct {
		ID, Person, Kind, Name, Parent, Scope string
		Created, Expires, Used                int64
		Program                               bool
	}
	err := s.read(ctx).All(&rows, `SELECT id, person, kind, name, created, expires, COALESCE(parent, '') AS parent, program, scope, used FROM tokens WHERE `+where+` ORDER BY created, id`, args...)
	list := make([]Token, len(rows))
	for i, r := range rows {
		list[i] = Token{r.ID, errand.PersonID(r.Person), r.Kind, r.Name, at(r.Created), at(r.Expires), r.Parent, r.Program, r.Scope, at(r.Used)}
	}
	return list, err
}

// RevokeToken ends a token, with those whose parent it is, or fails with ErrNotFound.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	return s.write(ctx, whoMayWhat, func(t *tx) error {
		var gone struct {
			Person errand.PersonID
			Kind   string
		}
		found, err := t.Row(&gone, `DELETE FROM tokens WHERE id = ? RETURNING person, kind`, id)
		if err == nil && !found {
			err = unknownToken(ErrNotFound)
		}
		if err != nil {
			return err
		}
		return t.audit(DeedTokenRevoke, did{"token", id, gone.Person, gone.Kind})
	})
}

// RevokeSecret ends the token that somebody shows, or takes back the request of
// a browser: it logs out. It fails with ErrNotFound if there is neither.
func (s *Store) RevokeSecret(ctx context.Context, plain string) error {
	return s.write(ctx, whoMayWhat, func(t *tx) error {
		gone := int64(0)
		for _, query := range []string{`DELETE FROM tokens WHERE hash = ?`, `DELETE FROM pairings WHERE state = 'pending' AND token_hash = ?`} {
			n, err := t.Exec(query, hashOf(plain))
			if err != nil {
				return err
			}
			gone += n
		}
		if gone == 0 {
			return unknownToken(ErrNotFound)
		}
		return nil
	})
}

func unknownToken(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("token: %w", err)
}
