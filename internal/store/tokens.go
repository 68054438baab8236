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

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// tokenPrefix lets people and secret scanners recognize a token.
const tokenPrefix = "errand_"

// usedEvery is the precision of a token's last use, because not every request should write.
const usedEvery = 5 * time.Minute

// usedWithin limits how long a request waits for that write.
const usedWithin = time.Second

// NewSecret returns a new secret: a prefix and 32 random bytes as text.
func NewSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw)
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(raw)
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// CreateToken creates a token with the given person, kind, name and parent. The store keeps
// only a hash of plain. validFor 0 means that it lasts as long as its parent. A link can be
// used once, by [Store.RedeemLink]; CreateToken also deletes the person's expired links. It
// fails with ErrNotFound if the person or the parent does not exist.
func (s *Store) CreateToken(ctx context.Context, of core.Token, validFor time.Duration) (plain string, token core.Token, err error) {
	plain = NewSecret()
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		if _, err := personWhere(t, `WHERE p.id = ?`, of.Person); err != nil {
			return about(err, "person", of.Person)
		}
		if of.Kind == core.TokenLink {
			if _, err := t.Exec(`DELETE FROM tokens WHERE person = ? AND kind = ? AND expires <= ?`, of.Person, core.TokenLink, t.now); err != nil {
				return err
			}
		}
		token, err = t.makeToken(of, hashOf(plain), validFor)
		return err
	})
	if err != nil {
		return "", core.Token{}, err
	}
	return plain, token, nil
}

func (t *tx) makeToken(of core.Token, hash string, validFor time.Duration) (core.Token, error) {
	token, err := t.insertToken(of, hash, validFor)
	if err != nil {
		return token, err
	}
	return token, t.audit(core.DeedTokenMake, did{"token", token.ID, token.Person, token.Kind})
}

func (t *tx) insertToken(token core.Token, hash string, validFor time.Duration) (core.Token, error) {
	token.ID, token.Created = "k-"+core.ShortID(8), at(t.now)
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
			return core.Token{}, err
		}
		if end := at(expires); expires > 0 && (token.Expires.IsZero() || end.Before(token.Expires)) {
			token.Expires = end
		}
	}
	_, err := t.Exec(`INSERT INTO tokens (id, hash, person, kind, name, created, expires, parent, program, scope) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		token.ID, hash, token.Person, token.Kind, token.Name, t.now, micros(token.Expires), parent, token.Program, token.Scope)
	return token, err
}

// PersonByToken returns a token and its person. The role is at most the role of the people
// whose tokens made this one. It fails with ErrNotFound if the token does not exist, was
// revoked or has expired, and for a link.
func (s *Store) PersonByToken(ctx context.Context, plain string) (core.Person, core.Token, error) {
	var row struct {
		personRow
		Token, Kind, Parent, Scope string
		Program                    bool
		Used                       int64
	}
	found, err := s.read(ctx).Row(&row, `SELECT `+personColumns+`, t.id AS token, t.kind, COALESCE(t.parent, '') AS parent, t.program, t.scope, t.used
		FROM tokens t JOIN people p ON p.id = t.person WHERE t.hash = ? AND t.kind <> ? AND (t.expires = 0 OR t.expires > ?)`,
		hashOf(plain), core.TokenLink, micros(s.clock()))
	if err == nil && !found {
		err = ErrNotFound
	}
	person := row.person()
	for parent := row.Parent; parent != "" && err == nil; {
		var maker struct{ Role, Parent string }
		found, err = s.read(ctx).Row(&maker, `SELECT p.role, COALESCE(t.parent, '') AS parent FROM tokens t JOIN people p ON p.id = t.person WHERE t.id = ?`, parent)
		if err == nil && !found {
			err = ErrNotFound // it was revoked meanwhile
		}
		person.Role, parent = core.Lesser(person.Role, core.Role(maker.Role)), maker.Parent
	}
	return person, core.Token{ID: row.Token, Kind: row.Kind, Parent: row.Parent, Program: row.Program, Scope: row.Scope, Used: at(row.Used)}, unknownToken(err)
}

// NoteTokenUsed records a use of a token that [Store.PersonByToken] returned. It writes at most
// every few minutes.
func (s *Store) NoteTokenUsed(ctx context.Context, shown core.Token) error {
	now := s.clock()
	if now.Sub(shown.Used) < usedEvery {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, usedWithin)
	defer cancel()
	// This changes no rights, so it needs no lock.
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE tokens SET used = ? WHERE id = ? AND used < ?`, micros(now), shown.ID, micros(now))
		return err
	})
}

// RedeemLink replaces a link with a login called name, with the link's person and parent. It
// fails with ErrNotFound if the link does not exist, was used or has expired.
func (s *Store) RedeemLink(ctx context.Context, link, name string, validFor time.Duration) (plain string, token core.Token, err error) {
	plain = NewSecret()
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		var row struct {
			Person, Parent, Scope string
			Program               bool
		}
		found, err := t.Row(&row, `SELECT person, COALESCE(parent, '') AS parent, program, scope FROM tokens WHERE hash = ? AND kind = ? AND expires > ?`, hashOf(link), core.TokenLink, t.now)
		if err != nil {
			return err
		}
		if !found {
			return unknownToken(ErrNotFound)
		}
		// On PostgreSQL another worker may redeem it at the same time.
		if n, err := t.Exec(`DELETE FROM tokens WHERE hash = ?`, hashOf(link)); err != nil || n == 0 {
			return cmp.Or(err, unknownToken(ErrNotFound))
		}
		token, err = t.insertToken(core.Token{Person: core.PersonID(row.Person), Kind: core.TokenLogin, Name: name, Parent: row.Parent, Program: row.Program, Scope: row.Scope}, hashOf(plain), validFor)
		return err
	})
	if err != nil {
		return "", core.Token{}, err
	}
	return plain, token, nil
}

// Tokens returns the tokens of a person, or of all people if person is empty, including expired
// ones, oldest first.
func (s *Store) Tokens(ctx context.Context, person core.PersonID) ([]core.Token, error) {
	where, args := `TRUE`, []any{}
	if person != "" {
		where, args = `person = ?`, append(args, person)
	}
	return tokensWhere(s.read(ctx), where, args...)
}

// Token returns a token by its id, or ErrNotFound.
func (s *Store) Token(ctx context.Context, id string) (core.Token, error) {
	list, err := tokensWhere(s.read(ctx), `id = ?`, id)
	if err == nil && len(list) == 0 {
		err = NoToken(id)
	}
	if err != nil {
		return core.Token{}, err
	}
	return list[0], nil
}

// NoToken returns the error for an unknown token id.
func NoToken(id string) error { return about(ErrNotFound, "token", core.Cut(id, 60)) }

func tokensWhere(q sqldb.Querier, where string, args ...any) ([]core.Token, error) {
	var rows []struct {
		ID, Person, Kind, Name, Parent, Scope string
		Created, Expires, Used                int64
		Program                               bool
	}
	err := q.All(&rows, `SELECT id, person, kind, name, created, expires, COALESCE(parent, '') AS parent, program, scope, used FROM tokens WHERE `+where+` ORDER BY created, id`, args...)
	list := make([]core.Token, len(rows))
	for i, r := range rows {
		list[i] = core.Token{
			ID: r.ID, Person: core.PersonID(r.Person), Kind: r.Kind, Name: r.Name, Created: at(r.Created), Expires: at(r.Expires),
			Parent: r.Parent, Program: r.Program, Scope: r.Scope, Used: at(r.Used),
		}
	}
	return list, err
}

// RevokeToken deletes a token and its children. It fails with ErrNotFound.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	return s.write(ctx, whoMayWhat, func(t *tx) error {
		var gone struct {
			Person core.PersonID
			Kind   string
		}
		found, err := t.Row(&gone, `DELETE FROM tokens WHERE id = ? RETURNING person, kind`, id)
		if err == nil && !found {
			err = unknownToken(ErrNotFound)
		}
		if err != nil {
			return err
		}
		return t.audit(core.DeedTokenRevoke, did{"token", id, gone.Person, gone.Kind})
	})
}

// RevokeSecret logs a browser out: it deletes the token, or the browser's pending pairing
// request. It fails with ErrNotFound if there is neither.
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
