package whatsapp

import (
	"context"
	"sync"
	"time"

	"go.mau.fi/whatsmeow/types"
)

// WhatsApp may show somebody by LID alone. Which number that is cannot be asked, but
// which LID a number has can: of the numbers that somebody has listed, errand asks
// when somebody comes whose number it does not know.

const (
	// askAgain is after how long a number that had no LID is asked about once more.
	askAgain  = 6 * time.Hour
	askAtOnce = 100
	// askTimeout is how long a message waits for the answer. It is taken as it is
	// then: what is behind it must not wait for ever.
	askTimeout = 10 * time.Second
	// askRest is how long nothing is asked after a call that failed.
	askRest = time.Minute
)

type numberLookups struct {
	mu     sync.Mutex
	at     map[string]time.Time
	failed time.Time
}

func (l *line) learn(ctx context.Context) bool {
	if l.c.Numbers == nil {
		return false
	}
	a := &l.c.asked
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(a.failed) < askRest {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	learned, err := l.ask(ctx, a)
	if err != nil {
		a.failed = time.Now()
		l.c.Logger.Warn("which LIDs the listed numbers have is not known; who is shown by LID alone may not be recognised", "error", err)
	}
	return learned
}

// ask does it; the caller holds the lock.
func (l *line) ask(ctx context.Context, a *numberLookups) (learned bool, err error) {
	numbers, err := l.c.Numbers(ctx)
	if err != nil {
		return false, err
	}
	var open []string
	for _, n := range numbers {
		lid, err := l.client.Store.LIDs.GetLIDForPN(ctx, types.NewJID(n, types.DefaultUserServer))
		if err != nil {
			return false, err
		}
		if lid.IsEmpty() && time.Since(a.at[n]) > askAgain {
			open = append(open, "+"+n)
		}
	}
	for len(open) > 0 {
		batch := open[:min(len(open), askAtOnce)]
		open = open[len(batch):]
		found, err := l.client.IsOnWhatsApp(ctx, batch) // which notes the LIDs
		if err != nil {
			return learned, err
		}
		if a.at == nil {
			a.at = map[string]time.Time{}
		}
		for _, n := range batch {
			a.at[n[1:]] = time.Now()
		}
		for _, f := range found {
			learned = learned || f.JID.Server == types.HiddenUserServer
		}
	}
	return learned, nil
}
