package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"errand/internal/channels"
	"errand/internal/platform/telegram"
)

// A Webhook is where Telegram delivers updates, instead of being asked for them.
type Webhook struct {
	URL    string // as Telegram reaches it
	Secret string // Telegram shows it with each update
}

const mostUpdate = 1 << 20

// watchHook sees to it that Telegram delivers to us, and notes whether it can.
func (c *Channel) watchHook(ctx context.Context) error {
	if c.Status().State != channels.Connected || !c.listed() {
		if err := c.introduce(ctx); err != nil {
			return err
		}
	}
	call, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var now struct {
		URL     string `json:"url"`
		Pending int    `json:"pending_update_count"`
		Error   string `json:"last_error_message"`
		ErrorAt int64  `json:"last_error_date"`
	}
	if err := c.client.Call(call, "getWebhookInfo", nil, &now); err != nil {
		return err
	}
	// Once for each Run, too: the secret may be another one than before.
	if now.URL != c.Webhook.URL || !c.hooked {
		// One at a time, so that what is written in a chat comes in order.
		err := c.client.Call(call, "setWebhook", map[string]any{"url": c.Webhook.URL, "secret_token": c.Webhook.Secret,
			"allowed_updates": telegram.Wanted, "max_connections": 1}, nil)
		if err != nil {
			return err
		}
		c.hooked = true
	}
	c.failures = 0
	if since := time.Since(time.Unix(now.ErrorAt, 0)); now.Pending > 0 && now.Error != "" && since < time.Hour {
		c.Set(channels.Status{State: channels.Degraded, Detail: fmt.Sprintf("Telegram cannot deliver %d messages: %s", now.Pending, now.Error),
			Advice: "see that the url of the webhook leads to this errand, with a certificate that Telegram accepts, and that secret_env is the same in every worker"})
	} else {
		c.Set(channels.Status{State: channels.Connected, Detail: "as @" + c.name() + ", by webhook", Handles: c.handles()})
	}
	channels.Sleep(ctx, c.Poll)
	return nil
}

// ServeHTTP takes in an update that Telegram delivers. It is answered with 200
// only when the receiver has committed it: until then Telegram delivers it again. It
// need not be the channel that runs, nor in the same process.
func (c *Channel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int) { http.Error(w, http.StatusText(status), status) }
	switch {
	case c.Webhook == nil || c.Webhook.Secret == "":
		refuse(http.StatusNotFound)
		return
	case r.Method != http.MethodPost:
		refuse(http.StatusMethodNotAllowed)
		return
	case !same(r.Header.Get("X-Telegram-Bot-Api-Secret-Token"), c.Webhook.Secret):
		c.strangers.turnAway(c.Logger)
		refuse(http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostUpdate))
	if big := (*http.MaxBytesError)(nil); errors.As(err, &big) {
		refuse(http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		refuse(http.StatusBadRequest)
		return
	}
	if err := c.delivered(r.Context(), body); err != nil {
		c.Logger.Warn("an update was not taken in, and will come again", "error", err)
		refuse(http.StatusServiceUnavailable)
	}
}

// delivered takes in one update. One at a time, as when they are asked for.
func (c *Channel) delivered(ctx context.Context, body []byte) error {
	c.intake.Lock()
	defer c.intake.Unlock()
	if c.name() == "" { // this channel does not run
		if err := c.introduce(ctx); err != nil {
			return err
		}
	}
	for _, u := range c.decode([]json.RawMessage{body}) {
		if err := c.receiveUpdate(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// same compares secrets in a time that does not tell how much of them is right.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// unhook removes the webhook that keeps us from asking for updates: nobody polls
// a bot that is meant to have one. It does so once: whatever sets it again is at
// work, and a person has to know.
func (c *Channel) unhook(ctx context.Context) bool {
	if c.hooked {
		return false
	}
	c.hooked = true
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := c.client.Call(ctx, "deleteWebhook", nil, nil); err != nil {
		return false
	}
	c.Logger.Warn("a webhook was set for this bot, and is removed: errand asks for messages")
	return true
}
