package notifiertest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"errand/internal/core"
	"errand/notifiers"
)

// A Notifier delivers on a Platform that is served at URL.
type Notifier struct {
	URL string
	// ReadBack makes it look whether a doubtful message has arrived.
	ReadBack bool
	Client   *http.Client // default: http.DefaultClient
}

var (
	_ notifiers.Notifier = (*Notifier)(nil)
	_ notifiers.Checker  = (*Notifier)(nil)
)

// Notify posts n.
func (t *Notifier) Notify(ctx context.Context, n core.Notification) (notifiers.Receipt, error) {
	body, err := json.Marshal(Message{Key: n.IdempotencyKey(), Chat: n.Route.Chat, Text: n.Body()})
	if err != nil {
		return notifiers.Receipt{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL+"/messages", bytes.NewReader(body))
	if err != nil {
		return notifiers.Receipt{}, err
	}
	resp, err := cmp.Or(t.Client, http.DefaultClient).Do(req)
	if err != nil {
		return notifiers.Receipt{}, &notifiers.SendError{Outcome: outcomeOf(err), Err: errors.New("the platform does not answer")}
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusOK:
		var m Message
		if err := json.NewDecoder(resp.Body).Decode(&m); err != nil {
			return notifiers.Receipt{}, &notifiers.SendError{Outcome: notifiers.Unknown, Err: err}
		}
		return notifiers.Receipt{IDs: []string{m.ID}}, nil
	case resp.StatusCode == http.StatusForbidden:
		return notifiers.Receipt{}, &notifiers.SendError{Outcome: notifiers.Refused, Err: errors.New("the platform refuses (403)")}
	default:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return notifiers.Receipt{}, &notifiers.SendError{Outcome: notifiers.NotSent,
			RetryAfter: time.Duration(seconds) * time.Second, Err: fmt.Errorf("the platform answered %d", resp.StatusCode)}
	}
}

// outcomeOf tells a connection that never was from one that broke: only the first
// is known to have delivered nothing.
func outcomeOf(err error) notifiers.Outcome {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return notifiers.NotSent
	}
	return notifiers.Unknown
}

// Delivered asks the platform for a message with n's key.
func (t *Notifier) Delivered(ctx context.Context, n core.Notification) (notifiers.Receipt, bool, error) {
	if !t.ReadBack {
		return notifiers.Receipt{}, false, notifiers.ErrCannotCheck
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL+"/messages?key="+url.QueryEscape(n.IdempotencyKey()), nil)
	if err != nil {
		return notifiers.Receipt{}, false, err
	}
	resp, err := cmp.Or(t.Client, http.DefaultClient).Do(req)
	if err != nil {
		return notifiers.Receipt{}, false, &notifiers.SendError{Outcome: notifiers.Unknown, Err: errors.New("the platform does not answer")}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return notifiers.Receipt{}, false, nil
	}
	var m Message
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil {
		return notifiers.Receipt{}, false, err
	}
	return notifiers.Receipt{IDs: []string{m.ID}}, true, nil
}
