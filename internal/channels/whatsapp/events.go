package whatsapp

import (
	"context"
	"errors"

	"go.mau.fi/whatsmeow/appstate"
	"go.mau.fi/whatsmeow/types/events"
)

func (l *line) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.working.Add(1)
	}
	return !l.closed
}

// handle is false for a message that was not committed and must not be acknowledged.
func (l *line) handle(ctx context.Context, event any) bool {
	if !l.enter() {
		return false
	}
	defer l.working.Done()
	switch e := event.(type) {
	case *events.Message:
		return l.message(ctx, e)
	case *events.UndecryptableMessage:
		l.undecryptable(ctx, e)
	case *events.Connected, *events.KeepAliveRestored:
		l.signalUp(true)
	case *events.OfflineSyncCompleted:
		if !l.refused.Load() {
			l.unstuck()
		}
	case *events.KeepAliveTimeout:
		if e.ErrorCount > 1 {
			l.end(ending{err: errors.New("WhatsApp does not answer")})
			break
		}
		l.signalUp(false)
	case *events.QR:
		select {
		case l.codes <- e.Codes:
		default:
		}
	case *events.PushNameSetting:
		l.name(ctx)
	case *events.AppStateSyncComplete:
		if e.Name == appstate.WAPatchCriticalBlock {
			l.name(ctx)
		}
	case *events.PairSuccess:
		l.linked.Store(true)
	case *events.PairError:
		l.end(ending{err: e.Error, pair: true})
	case *events.PairPasskeyRequest:
		l.end(ending{err: errPasskey, pair: true})
	case *events.ManualLoginReconnect:
		l.end(ending{again: true})
	case *events.Disconnected:
		if !l.client.IsConnected() { // otherwise the event may belong to the previous connection
			l.end(ending{event: e, pair: !l.linked.Load()})
		}
	case *events.LoggedOut:
		l.end(ending{event: e, gone: true})
	case *events.StreamReplaced, *events.TemporaryBan, *events.ClientOutdated, *events.ConnectFailure, *events.StreamError:
		l.end(ending{event: e})
	}
	return true
}

var errPasskey = errors.New("WhatsApp asks for a passkey, which errand has none of: link it with a code instead")

func (l *line) unstuck() {
	if l.stuck.CompareAndSwap(true, false) {
		l.signalUp(true)
	}
}

func (l *line) signalUp(up bool) {
	select {
	case l.up <- up:
	default:
	}
}
