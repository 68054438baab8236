package whatsapp

import (
	"context"
	"errors"
	"time"

	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"errand/internal/channels"
)

const patient = 2 * time.Minute // for WhatsApp to accept the connection

func (l *line) watch(ctx context.Context) ending {
	var codes []string
	next := time.After(patient)
	poll := time.NewTicker(codePoll) // for requests for codes
	defer poll.Stop()
	var typed time.Time // until when the code is valid
	for {
		select {
		case <-ctx.Done():
			return ending{}
		case up := <-l.up:
			next = nil
			l.connected(ctx, up)
		case codes = <-l.codes:
			codes, next = l.show(codes)
		case <-poll.C:
			if shown := l.c.Status().Link != ""; shown && l.answerCode(ctx) {
				typed = time.Now().Add(codeLasts)
			}
		case <-next:
			switch {
			case len(codes) > 0:
				codes, next = l.show(codes)
			case !l.linked.Load() && time.Now().Before(typed):
				next = time.After(time.Until(typed))
			case !l.linked.Load():
				return ending{pair: true}
			default:
				return ending{err: errors.New("WhatsApp does not answer the login")}
			}
		case e := <-l.ended:
			return l.cause(ctx, e)
		}
	}
}

// cause waits CauseWait for a better reason than a lost connection. If another program took over
// the connection, reconnecting at once would take it back.
func (l *line) cause(ctx context.Context, e ending) ending {
	over := time.NewTimer(l.c.CauseWait)
	defer over.Stop()
	for {
		if _, broke := e.event.(*events.Disconnected); !broke {
			return e
		}
		select {
		case e = <-l.ended:
		case <-over.C:
			return e
		case <-ctx.Done():
			return e
		}
	}
}

func (l *line) connected(ctx context.Context, up bool) {
	if !l.client.IsLoggedIn() {
		return
	}
	if !up {
		l.c.Set(channels.Status{State: channels.Degraded, Detail: "WhatsApp does not answer"})
		return
	}
	if l.stuck.Load() {
		return // it is connected, but the status shows that messages cannot be committed
	}
	l.since, l.c.why = time.Now(), ""
	l.sendPresence(ctx)
	l.c.Set(channels.Status{State: channels.Connected, Detail: "as +" + l.client.Store.ID.User, Handles: l.handles()})
}

// Only the goroutine that wrote the name calls this, because no other may read it yet.
func (l *line) name(ctx context.Context) {
	l.hasName.Store(l.client.Store.PushName != "")
	l.sendPresence(ctx)
}

// sendPresence publishes the push name. It sends "unavailable", because "available" would silence
// the phone. A newly linked device gets its name later.
func (l *line) sendPresence(ctx context.Context) {
	if !l.hasName.Load() {
		return
	}
	if err := l.client.SendPresence(ctx, types.PresenceUnavailable); err != nil {
		l.c.Logger.Debug("presence not sent", "error", err)
	}
}

// show returns the remaining codes and a timer. WhatsApp shows the first code for a minute and the
// others for 20 s.
func (l *line) show(codes []string) ([]string, <-chan time.Time) {
	if len(codes) == 0 {
		return nil, time.After(0)
	}
	lasts := 20 * time.Second
	if len(codes) >= 6 {
		lasts = time.Minute
	}
	l.c.Set(l.c.unlinked(codes[0]))
	return codes[1:], time.After(lasts)
}

// adopt has to run before whatsmeow saves the device.
func (l *line) adopt(ctx context.Context, jid types.JID) bool {
	if err := l.c.Devices.Link(ctx, l.c.Account, jid); err != nil {
		l.c.Logger.Warn("not linked", "error", err)
		l.end(ending{err: err, pair: true})
		return false
	}
	return true
}
