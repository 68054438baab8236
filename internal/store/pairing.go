package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

const (
	// PairingValid is how long a pairing code can be approved.
	PairingValid = time.Hour
	// MostPending is how many requests may wait on one account of a channel. A further request
	// replaces the oldest one, whose sender may ask again. If errand refused new requests
	// instead, 50 requests would lock everyone out for an hour. As it is, an attacker needs 50
	// requests between a request and its approval.
	MostPending = 50

	codeLength = 8
)

// ErrTooMany refuses an item beyond a limit.
var ErrTooMany = errors.New("too many")

type pairingRow struct {
	Code, Channel, Account, ExternalID, OtherIds, Name, Language, Address, Chat, Thread, TokenHash, State string
	Created, Expires, Decided                                                                             int64
	DecidedBy, Person                                                                                     string
}

const pairingColumns = `code, channel, account, external_id, other_ids, name, language, address, chat, thread, token_hash, state,
	created, expires, decided, decided_by, person`

func (r pairingRow) pairing(now int64) (core.Pairing, error) {
	p := core.Pairing{
		Code: r.Code, Channel: r.Channel, Account: r.Account, ExternalID: r.ExternalID, Name: r.Name, Language: r.Language, Address: r.Address,
		Route: core.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread},
		State: core.PairingState(r.State), Created: at(r.Created), Expires: at(r.Expires), Decided: at(r.Decided),
		DecidedBy: core.PersonID(r.DecidedBy), Person: core.PersonID(r.Person),
	}
	if p.State == core.PairingPending && r.Expires <= now {
		p.State = core.PairingExpired
	}
	if r.OtherIds == "" {
		return p, nil
	}
	if err := json.Unmarshal([]byte(r.OtherIds), &p.OtherIDs); err != nil {
		return p, fmt.Errorf("other ids of pairing %s: %w", r.Code, err)
	}
	return p, nil
}

func pairingsWhere(q sqldb.Querier, now int64, where string, args ...any) ([]core.Pairing, error) {
	var rows []pairingRow
	if err := q.All(&rows, `SELECT `+pairingColumns+` FROM pairings WHERE `+where, args...); err != nil {
		return nil, err
	}
	list := make([]core.Pairing, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = r.pairing(now); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// An AskPairing is a pairing request. Of Pairing, it needs Channel, Account, ExternalID,
// OtherIDs, Name, Language, Address and Route.
type AskPairing struct {
	core.Pairing
	// Secret, if set, identifies the browser that asks.
	Secret string
	// Message, if set, is the message with which the sender asked.
	Message *PairingMessage
	// Notice, if set, is sent to the sender, once per code. Again is a key that lets it be sent
	// once more. [PairingCode] in it is replaced with the code in capitals.
	Notice string
	Again  string
}

// PairingCode is a placeholder for the code in a notice. The transaction creates or finds the code.
const PairingCode = "{code}"

// AskPairing stores a pairing request. A sender who asks again, with any of their ids, gets
// their valid code or their denial. Per address only the last browser waits, and per account
// [MostPending] requests: the oldest is dropped. queued reports whether Notice added rows to
// the outbox.
func (s *Store) AskPairing(ctx context.Context, in AskPairing) (p core.Pairing, queued bool, err error) {
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
		if p.State != core.PairingPending {
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

func (t *tx) notice(key string, route core.Route, text string) (bool, error) {
	if route.Chat == "" || route.Channel == core.ChannelWeb {
		return false, nil
	}
	rows, err := t.enqueue(core.Notification{Key: key, Route: route, Event: core.EventNotice, Text: text}, "", 0)
	return len(rows) > 0, err
}

// openPairing returns the unexpired request of the same sender. Without one, it returns
// false and makes room for one.
func (t *tx) openPairing(in core.Pairing) (core.Pairing, bool, error) {
	live, err := pairingsWhere(t, t.now, `channel = ? AND account = ? AND expires > ? AND state IN ('pending', 'denied') ORDER BY created, code`,
		in.Channel, in.Account, t.now)
	if err != nil {
		return in, false, err
	}
	var pending []core.Pairing
	for _, p := range live {
		if p.KnownBy(in.IDs()) {
			return p, true, nil
		}
		if p.State == core.PairingPending {
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

func (t *tx) giveWay(code string) error {
	if _, err := t.Exec(`UPDATE pairings SET expires = ? WHERE code = ?`, t.now, code); err != nil {
		return err
	}
	return t.forgetPairingMessages(code)
}

func (t *tx) insertPairing(in AskPairing) (core.Pairing, error) {
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
	// An earlier pending request of the sender has expired, or openPairing would have found it.
	if _, err := t.Exec(`DELETE FROM pairings WHERE channel = ? AND account = ? AND external_id = ? AND state = 'pending'`,
		p.Channel, p.Account, p.ExternalID); err != nil {
		return p, err
	}
	p.State, p.Created, p.Expires = core.PairingPending, at(t.now), at(t.now+PairingValid.Microseconds())
	for {
		p.Code = core.ShortID(codeLength)
		n, err := t.Exec(`INSERT INTO pairings (code, channel, account, external_id, other_ids, name, language, address, chat, thread, token_hash, state, created, expires)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT (code) DO NOTHING`,
			p.Code, p.Channel, p.Account, p.ExternalID, others, p.Name, p.Language, p.Address, p.Route.Chat, p.Route.Thread, hash, t.now, micros(p.Expires))
		if err != nil || n == 1 {
			return p, err
		}
	}
}

// Pairings returns the latest pairing requests, newest first. If waiting is set, it returns
// only undecided, unexpired requests.
func (s *Store) Pairings(ctx context.Context, waiting bool) ([]core.Pairing, error) {
	now := micros(s.clock())
	if waiting {
		return pairingsWhere(s.read(ctx), now, `state = 'pending' AND expires > ? ORDER BY created DESC, code LIMIT 500`, now)
	}
	return pairingsWhere(s.read(ctx), now, `TRUE ORDER BY created DESC, code LIMIT 100`)
}

// Pairing returns a request by its code, in any case and with spaces or dashes, or ErrNotFound.
func (s *Store) Pairing(ctx context.Context, code string) (core.Pairing, error) {
	return onePairing(s.read(ctx), micros(s.clock()), code)
}

func onePairing(q sqldb.Querier, now int64, code string) (core.Pairing, error) {
	list, err := pairingsWhere(q, now, `code = ?`, plainCode(code))
	if err == nil && len(list) == 0 {
		err = about(ErrNotFound, "pairing code", core.Cut(code, 40))
	}
	if err != nil {
		return core.Pairing{}, err
	}
	return list[0], nil
}

func plainCode(code string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(code))
}

// PairingBySecret returns the request of a browser, or ErrNotFound.
func (s *Store) PairingBySecret(ctx context.Context, secret string) (core.Pairing, error) {
	list, err := pairingsWhere(s.read(ctx), micros(s.clock()), `token_hash = ? AND token_hash <> '' ORDER BY created DESC LIMIT 1`, hashOf(secret))
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("pairing: %w", ErrNotFound)
	}
	if err != nil {
		return core.Pairing{}, err
	}
	return list[0], nil
}
