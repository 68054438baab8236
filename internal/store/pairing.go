package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

const (
	// PairingValid is how long somebody may be let in by a code.
	PairingValid = time.Hour
	// MostPending is how many may wait on one account of a channel. One more, and
	// the oldest gives way: however many ask, nobody who comes is shut out, and
	// whoever gave way may ask again.
	MostPending = 50

	codeLength = 8
)

// ErrTooMany refuses one more than there may be.
var ErrTooMany = errors.New("too many")

// A PairingState is what became of a request to be let in.
type PairingState string

// The states of a pairing.
const (
	PairingPending  PairingState = "pending"
	PairingApproved PairingState = "approved"
	PairingDenied   PairingState = "denied"
	PairingExpired  PairingState = "expired"
)

// A Pairing is the request of somebody whom nobody knows to be let in.
type Pairing struct {
	Code       string          `json:"code"` // readable aloud, in any case
	Channel    string          `json:"channel"`
	Account    string          `json:"account,omitempty"`
	ExternalID string          `json:"external_id"`
	OtherIDs   []string        `json:"other_ids,omitempty"` // of the same sender
	Name       string          `json:"name"`                // what they call themselves
	Language   string          `json:"language,omitempty"`
	Address    string          `json:"address,omitempty" description:"from which a browser asks"`
	Route      errand.Route    `json:"-"` // where to say that they are let in; without a chat: nowhere
	State      PairingState    `json:"state" enum:"pending,approved,denied,expired"`
	Created    time.Time       `json:"created"`
	Expires    time.Time       `json:"expires"`
	Decided    time.Time       `json:"decided,omitzero"`
	DecidedBy  errand.PersonID `json:"decided_by,omitempty"`
	Person     errand.PersonID `json:"person,omitempty"` // who they are, once approved
}

func (p Pairing) ids() []string { return append([]string{p.ExternalID}, p.OtherIDs...) }

// knownBy reports whether one of ids is of whoever asked.
func (p Pairing) knownBy(ids []string) bool {
	return slices.ContainsFunc(p.ids(), func(id string) bool { return slices.Contains(ids, id) })
}

type pairingRow struct {
	Code, Channel, Account, ExternalID, OtherIds, Name, Language, Address, Chat, Thread, TokenHash, State string
	Created, Expires, Decided                                                                             int64
	DecidedBy, Person                                                                                     string
}

const pairingColumns = `code, channel, account, external_id, other_ids, name, language, address, chat, thread, token_hash, state,
	created, expires, decided, decided_by, person`

// pairing reads a row as it is at a time: nobody has to come by to expire it.
func (r pairingRow) pairing(now int64) (Pairing, error) {
	p := Pairing{
		Code: r.Code, Channel: r.Channel, Account: r.Account, ExternalID: r.ExternalID, Name: r.Name, Language: r.Language, Address: r.Address,
		Route: errand.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread},
		State: PairingState(r.State), Created: at(r.Created), Expires: at(r.Expires), Decided: at(r.Decided),
		DecidedBy: errand.PersonID(r.DecidedBy), Person: errand.PersonID(r.Person),
	}
	if p.State == PairingPending && r.Expires <= now {
		p.State = PairingExpired
	}
	if r.OtherIds == "" {
		return p, nil
	}
	if err := json.Unmarshal([]byte(r.OtherIds), &p.OtherIDs); err != nil {
		return p, fmt.Errorf("other ids of pairing %s: %w", r.Code, err)
	}
	return p, nil
}

func pairingsWhere(q sqldb.Querier, now int64, where string, args ...any) ([]Pairing, error) {
	var rows []pairingRow
	if err := q.All(&rows, `SELECT `+pairingColumns+` FROM pairings WHERE `+where, args...); err != nil {
		return nil, err
	}
	list := make([]Pairing, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = r.pairing(now); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// An AskPairing is a request to be let in. Of Pairing, it needs Channel, Account,
// ExternalID, OtherIDs, Name, Language, Address and Route.
type AskPairing struct {
	Pairing
	// Secret, if set, is what a browser that asks will be known by.
	Secret string
	// Message, if set, is the message that they asked with.
	Message *PairingMessage
	// Notice, if set, is what they are told, once for a code; with Again, a key of its
	// own, once more. [PairingCode] in it becomes the code, in capitals.
	Notice string
	Again  string
}

// PairingCode stands for the code in what somebody is told who asks to be let in: it
// is drawn, or found, in the transaction.
const PairingCode = "{code}"

// AskPairing notes a request to be let in. Who asks again, by any of their ids,
// gets the code they have while it is valid; who was denied, the denial. From one
// address one browser waits, the last that asked, and on one account as many as
// [MostPending]: the oldest gives way. The words of Notice are rows of the outbox:
// queued says whether there is one now.
func (s *Store) AskPairing(ctx context.Context, in AskPairing) (p Pairing, queued bool, err error) {
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		if err := t.forgetExpired(); err != nil {
			return err
		}
		var known bool
		if p, known, err = t.openPairing(in.Pairing); err != nil {
			return err
		}
		if !known {
			if p, err = t.insertPairing(in); err != nil {
				return err
			}
		}
		if p.State != PairingPending {
			return nil
		}
		if err := t.keepPairingMessage(p.Code, in.Message); err != nil {
			return err
		}
		if in.Notice == "" || known && in.Again == "" {
			return nil
		}
		key := "pairing:" + p.Code
		if known {
			key += ":" + in.Again
		}
		queued, err = t.notice(key, in.Route, in.notice(p.Code))
		return err
	})
	return p, queued, err
}

func (in AskPairing) notice(code string) string {
	return strings.ReplaceAll(in.Notice, PairingCode, strings.ToUpper(code))
}

func (t *tx) notice(key string, route errand.Route, text string) (bool, error) {
	if route.Chat == "" || route.Channel == errand.ChannelWeb {
		return false, nil
	}
	rows, err := t.enqueue(errand.Notification{Key: key, Route: route, Event: errand.EventNotice, Text: text}, "", 0)
	return len(rows) > 0, err
}

// openPairing returns the request of the same sender that is pending or denied
// and whose time is not over; false if there is none, and room for one.
func (t *tx) openPairing(in Pairing) (Pairing, bool, error) {
	live, err := pairingsWhere(t, t.now, `channel = ? AND account = ? AND expires > ? AND state IN ('pending', 'denied') ORDER BY created, code`,
		in.Channel, in.Account, t.now)
	if err != nil {
		return in, false, err
	}
	var pending []Pairing
	for _, p := range live {
		if p.knownBy(in.ids()) {
			return p, true, nil
		}
		if p.State == PairingPending {
			pending = append(pending, p)
		}
	}
	for i, p := range pending {
		if len(pending)-i < MostPending && (in.Address == "" || p.Address != in.Address) {
			continue
		}
		if err := t.giveWay(p.Code); err != nil {
			return in, false, err
		}
	}
	return in, false, nil
}

// giveWay ends a request as if its time were over.
func (t *tx) giveWay(code string) error {
	if _, err := t.Exec(`UPDATE pairings SET expires = ? WHERE code = ?`, t.now, code); err != nil {
		return err
	}
	return t.forgetPairingMessages(code)
}

func (t *tx) insertPairing(in AskPairing) (Pairing, error) {
	p, others, hash := in.Pairing, "", ""
	if len(p.OtherIDs) > 0 {
		raw, err := json.Marshal(p.OtherIDs)
		if err != nil {
			return p, err
		}
		others = string(raw)
	}
	if in.Secret != "" {
		hash = hashOf(in.Secret)
	}
	// What the same sender asked for before is over, or it would have been found.
	if _, err := t.Exec(`DELETE FROM pairings WHERE channel = ? AND account = ? AND external_id = ? AND state = 'pending'`,
		p.Channel, p.Account, p.ExternalID); err != nil {
		return p, err
	}
	p.State, p.Created, p.Expires = PairingPending, at(t.now), at(t.now+PairingValid.Microseconds())
	for {
		p.Code = errand.ShortID(codeLength)
		n, err := t.Exec(`INSERT INTO pairings (code, channel, account, external_id, other_ids, name, language, address, chat, thread, token_hash, state, created, expires)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT (code) DO NOTHING`,
			p.Code, p.Channel, p.Account, p.ExternalID, others, p.Name, p.Language, p.Address, p.Route.Chat, p.Route.Thread, hash, t.now, micros(p.Expires))
		if err != nil || n == 1 {
			return p, err
		}
	}
}

// Pairings returns the latest requests to be let in, the newest first; with
// waiting, only those that can be decided.
func (s *Store) Pairings(ctx context.Context, waiting bool) ([]Pairing, error) {
	now := micros(s.clock())
	if waiting {
		return pairingsWhere(s.read(ctx), now, `state = 'pending' AND expires > ? ORDER BY created DESC, code LIMIT 500`, now)
	}
	return pairingsWhere(s.read(ctx), now, `TRUE ORDER BY created DESC, code LIMIT 100`)
}

// Pairing returns a request by its code, or ErrNotFound.
func (s *Store) Pairing(ctx context.Context, code string) (Pairing, error) {
	return onePairing(s.read(ctx), micros(s.clock()), code)
}

func onePairing(q sqldb.Querier, now int64, code string) (Pairing, error) {
	list, err := pairingsWhere(q, now, `code = ?`, plainCode(code))
	if err == nil && len(list) == 0 {
		err = about(ErrNotFound, "pairing code", errand.Cut(code, 40))
	}
	if err != nil {
		return Pairing{}, err
	}
	return list[0], nil
}

// plainCode takes a code as people write it: in any case, with spaces or dashes.
func plainCode(code string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(code))
}

// PairingBySecret returns the request of a browser, or ErrNotFound.
func (s *Store) PairingBySecret(ctx context.Context, secret string) (Pairing, error) {
	list, err := pairingsWhere(s.read(ctx), micros(s.clock()), `token_hash = ? AND token_hash <> '' ORDER BY created DESC LIMIT 1`, hashOf(secret))
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("pairing: %w", ErrNotFound)
	}
	if err != nil {
		return Pairing{}, err
	}
	return list[0], nil
}
