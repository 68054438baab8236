package whatsapp

import (
	"context"
	"fmt"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"errand/internal/channels/whatsapp"
	"errand/internal/core"
	"errand/notifiers"
)

// present is short, because the owner's phone does not ring while the account is present. But
// clients show "typing…" only of accounts that are present.
const present = 30 * time.Second

// Typing shows "typing…" for [Notifier.TypingDuration].
func (w *Notifier) Typing(ctx context.Context, r core.Route) error {
	t, err := w.target(ctx, r, "", 0)
	if err != nil {
		return err
	}
	if !t.account.limiter.TryTyping(t.chat) {
		return nil
	}
	t.arrive(ctx)
	if err := t.client.SendChatPresence(ctx, t.to, types.ChatPresenceComposing, types.ChatPresenceMediaText); err != nil {
		return t.explain(err)
	}
	return nil
}

// TypingDuration is when WhatsApp's apps stop showing "typing…" without another signal. WhatsApp
// does not document it; it was measured. A lower value would only repeat the signal more often.
func (w *Notifier) TypingDuration() time.Duration { return 25 * time.Second }

// arrive sets the account present for a while. An account without a push name cannot do that.
func (t target) arrive(ctx context.Context) {
	t.account.mu.Lock()
	defer t.account.mu.Unlock()
	if t.account.away != nil && t.account.away.Stop() {
		t.account.away.Reset(present)
		return
	}
	if t.client.SendPresence(ctx, types.PresenceAvailable) != nil {
		return
	}
	t.account.away = time.AfterFunc(present, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		// On an error the connection is gone, and so is the presence.
		_ = t.client.SendPresence(ctx, types.PresenceUnavailable)
	})
}

var marks = map[notifiers.Mark]string{notifiers.Seen: "👀", notifiers.Done: "✅", notifiers.None: whatsmeow.RemoveReactionText}

func (w *Notifier) React(ctx context.Context, r core.Route, messageID string, mark notifiers.Mark) error {
	emoji, ok := marks[mark]
	if !ok {
		return fmt.Errorf("%w: the mark %q", notifiers.ErrCannotShow, mark)
	}
	t, err := w.target(ctx, r, "", 0)
	if err != nil {
		return err
	}
	if !t.account.limiter.Try(t.chat) {
		return notifiers.NotSentf(later, "as many messages as WhatsApp permits are on their way")
	}
	id, by := whatsapp.ParseMessageID(messageID)
	_, err = w.send(ctx, t, t.client.BuildReaction(t.to, t.writer(ctx, by), id, emoji), t.client.GenerateMessageID())
	return err
}

const editable = 14 * time.Minute // a little less than phones allow

const mostShown = 1000

// ShowProgress sends a text, or replaces that of the message before, unless that is too old to be
// edited.
func (w *Notifier) ShowProgress(ctx context.Context, r core.Route, text, id string) (string, error) {
	t, err := w.target(ctx, r, "", 0)
	if err != nil {
		return "", err
	}
	if !t.account.limiter.Try(t.chat) {
		return "", notifiers.NotSentf(later, "as many messages as WhatsApp permits are on their way")
	}
	m := &waE2E.Message{Conversation: proto.String(literal(text))}
	if id != "" && !t.account.tooOld(id) {
		_, err := w.send(ctx, t, t.client.BuildEdit(t.to, id, m), t.client.GenerateMessageID())
		return id, err
	}
	if id, err = w.send(ctx, t, m, t.client.GenerateMessageID()); err == nil {
		t.account.remember(id)
	}
	return id, err
}

func (a *account) tooOld(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	sent, ok := a.shown[id]
	return ok && time.Since(sent) > editable
}

func (a *account) remember(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.shown) >= mostShown {
		clear(a.shown)
	}
	a.shown[id] = time.Now()
}
