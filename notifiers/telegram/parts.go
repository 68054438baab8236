package telegram

import (
	"errors"
	"strings"

	"errand"
	"errand/notifiers"
)

// progress is how far a text of several messages has come.
type progress struct {
	text  string
	ids   []string // of the parts that have arrived
	doubt bool     // the part behind them may have arrived too
}

// mostProgress bounds what is remembered of notifications that were given up.
const mostProgress = 10_000

// resume returns how far n has come in this process, marked as a repeat or not: its
// parts are those of the first attempt.
func (t *Notifier) resume(n errand.Notification) progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.part[n.Key]
	if !ok || !strings.HasSuffix(n.Said(), p.text) {
		return progress{}
	}
	p.ids = append([]string(nil), p.ids...)
	return p
}

func (t *Notifier) note(key string, p progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p.ids) == 0 {
		delete(t.part, key)
		return
	}
	if len(t.part) >= mostProgress {
		clear(t.part)
	}
	t.part[key] = p
}

// failed notes how far a notification has come, and says what became of it.
func (t *Notifier) failed(a *account, key string, done progress, err error) error {
	var send *notifiers.SendError
	if !errors.As(err, &send) {
		send = a.explain(err)
	}
	done.doubt = done.doubt || send.Fate == notifiers.Doubt
	t.note(key, done)
	return send.After(len(done.ids))
}
