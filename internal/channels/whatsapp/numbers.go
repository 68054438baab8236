package whatsapp

import (
	"context"
	"sync"
	"time"

	"go.mau.fi/whatsmeow/types"
)

// WhatsApp may identify a sender by LID only. errand cannot ask which number a LID has, but it can
// ask which LID a number has. So when an unknown LID writes, errand looks up the LIDs of all listed
// numbers.

const (
	// askAgain is the time before a number without a LID is looked up again.
	askAgain  = 6 * time.Hour
	askAtOnce = 100
	// askTimeout is short because later messages wait.
	askTimeout = 10 * time.Second
	// askRest is the pause after a failed lookup.
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
		l.c.Logger.Warn("cannot read the LIDs of the listed numbers; people shown only by LID may not be recognized", "error", err)
	}
	return learned
}

// ask requires that the caller holds a.mu.
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
		found, err := l.client.IsOnWhatsApp(ctx, batch) // stores the LIDs that it finds
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
