package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const mostUpdates = 100

// byDefault is what a bot is told that has not said what it wants.
var byDefault = []string{"message", "edited_message", "callback_query", "my_chat_member"}

// push queues an update; the caller holds mu. What the bot does not want to be
// told is dropped now, not when it asks.
func (b *Bot) push(u *update) {
	want := b.allowed
	if want == nil {
		want = byDefault
	}
	if !slices.Contains(want, u.kind()) {
		return
	}
	b.lastUpdate++
	u.ID = b.lastUpdate
	b.queue = append(b.queue, u)
}

// confirm forgets every update before offset; a negative one counts from the
// end.
func (b *Bot) confirm(offset int64) {
	if offset < 0 {
		keep := min(len(b.queue), int(-offset))
		b.confirmed = append(b.confirmed, b.queue[:len(b.queue)-keep]...)
		b.queue = slices.Clone(b.queue[len(b.queue)-keep:])
		return
	}
	b.queue = slices.DeleteFunc(b.queue, func(u *update) bool {
		if u.ID < offset {
			b.confirmed = append(b.confirmed, u)
			return true
		}
		return false
	})
}

func (b *Bot) waiting(limit int) []*update {
	if b.held || len(b.queue) == 0 {
		return []*update{}
	}
	return slices.Clone(b.queue[:min(limit, len(b.queue))])
}

// getUpdates returns what is not confirmed, or waits for it as long as it was
// asked to. A second one ends one that waits with 409.
func (s *Server) getUpdates(r *request) (any, error) {
	limit := int(r.number("limit"))
	if limit <= 0 || limit > mostUpdates {
		limit = mostUpdates
	}
	var allowed []string
	given, err := r.object("allowed_updates", &allowed)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	b := r.bot
	if b.hook != nil {
		s.mu.Unlock()
		return nil, &refusal{code: 409, text: "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"}
	}
	if b.poll != nil {
		close(b.poll)
	}
	mine := make(chan struct{})
	b.poll = mine
	if given {
		b.allowed = allowed
		if len(allowed) == 0 {
			b.allowed = nil
		}
	}
	b.confirm(r.number("offset"))
	s.happened()
	list, changed := b.waiting(limit), s.changed
	s.mu.Unlock()

	timeout := time.NewTimer(time.Duration(max(0, r.number("timeout"))) * time.Second)
	defer timeout.Stop()
	for len(list) == 0 && r.number("timeout") > 0 {
		select {
		case <-mine:
			if s.revoked(r) {
				return nil, &refusal{code: 401, text: "Unauthorized"}
			}
			if s.hooked(b) {
				return nil, &refusal{code: 409, text: "Conflict: terminated by setWebhook request"}
			}
			return nil, &refusal{code: 409, text: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"}
		case <-r.Context().Done():
			s.endPoll(b, mine)
			return []*update{}, nil
		case <-timeout.C:
			s.endPoll(b, mine)
			return []*update{}, nil
		case <-changed:
		}
		s.mu.Lock()
		list, changed = b.waiting(limit), s.changed
		s.mu.Unlock()
	}
	s.endPoll(b, mine)
	return list, nil
}

// revoked reports whether the token that r came with has been revoked since.
func (s *Server) revoked(r *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !strings.HasPrefix(r.URL.Path, "/bot"+r.bot.Token+"/")
}

func (s *Server) hooked(b *Bot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return b.hook != nil
}

func (s *Server) endPoll(b *Bot, mine chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.poll == mine {
		b.poll = nil
	}
}

// Polling reports whether a bot waits for updates.
func (s *Server) Polling(b *Bot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return b.poll != nil
}

// Unconfirmed returns how many updates a bot has still to confirm.
func (s *Server) Unconfirmed(b *Bot) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(b.queue)
}

// A webhook is where updates are posted, one at a time and in order, until they
// are answered with 200.
type webhook struct {
	url, secret string
	stop        context.CancelFunc
	lastError   string
	lastErrorAt int64
}

// setWebhook takes plain http too, which Telegram does not.
func (s *Server) setWebhook(r *request) (any, error) {
	to, err := url.Parse(r.params["url"])
	if r.params["url"] == "" {
		return s.deleteWebhook(r)
	}
	if err != nil || to.Host == "" {
		return nil, bad("bad webhook: invalid webhook URL specified")
	}
	secret := r.params["secret_token"]
	for _, c := range secret {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') || len(secret) > 256 {
			return nil, bad("secret token contains unallowed characters")
		}
	}
	var allowed []string
	given, err := r.object("allowed_updates", &allowed)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := r.bot
	if b.hook != nil {
		b.hook.stop()
	}
	if given && len(allowed) > 0 {
		b.allowed = allowed
	}
	if r.truth("drop_pending_updates") {
		b.confirm(b.lastUpdate + 1)
	}
	if b.poll != nil {
		close(b.poll)
		b.poll = nil
	}
	ctx, stop := context.WithCancel(context.Background())
	b.hook = &webhook{url: to.String(), secret: secret, stop: stop}
	go s.postUpdates(ctx, b, b.hook)
	return true, nil
}

func (s *Server) deleteWebhook(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.bot.hook != nil {
		r.bot.hook.stop()
		r.bot.hook = nil
	}
	if r.truth("drop_pending_updates") {
		r.bot.confirm(r.bot.lastUpdate + 1)
	}
	return true, nil
}

func (s *Server) webhookInfo(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info := map[string]any{"url": "", "has_custom_certificate": false, "pending_update_count": len(r.bot.queue)}
	if h := r.bot.hook; h != nil {
		info["url"] = h.url
		if h.lastError != "" {
			info["last_error_message"], info["last_error_date"] = h.lastError, h.lastErrorAt
		}
	}
	return info, nil
}

// Close ends what the platform does by itself.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.bots {
		if b.hook != nil {
			b.hook.stop()
		}
	}
}

func (s *Server) postUpdates(ctx context.Context, b *Bot, h *webhook) {
	wait := s.opts.WebhookRetry
	for ctx.Err() == nil {
		s.mu.Lock()
		list, changed := b.waiting(1), s.changed
		s.mu.Unlock()
		if len(list) == 0 {
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		if err := post(ctx, h, list[0]); err != "" {
			s.mu.Lock()
			h.lastError, h.lastErrorAt = err, s.opts.Now().Unix()
			s.mu.Unlock()
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
			wait = min(2*wait, time.Minute)
			continue
		}
		wait = s.opts.WebhookRetry
		s.mu.Lock()
		b.queue = slices.DeleteFunc(b.queue, func(u *update) bool { return u == list[0] })
		b.confirmed = append(b.confirmed, list[0])
		s.happened()
		s.mu.Unlock()
	}
}

// post returns why an update was not taken.
func post(ctx context.Context, h *webhook, u *update) string {
	body, err := json.Marshal(u)
	if err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	if h.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", h.secret)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "Connection failed"
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "Wrong response from the webhook: " + strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode)
	}
	return ""
}
