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
)

// A Webhook configures deliveries by webhook instead of polling.
type Webhook struct {
	URL    string // public URL of the channel's handler
	Secret string // Telegram sends it with each update
}

const mostUpdate = 1 << 20

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
	// Set it again in each Run, because the secret may have changed.
	if now.URL != c.Webhook.URL || !c.hooked {
		// One delivery at a time keeps the messages of a chat in order.
		err := c.client.Call(call, "setWebhook", map[string]any{"url": c.Webhook.URL, "secret_token": c.Webhook.Secret,
			"allowed_updates": Wanted, "max_connections": 1}, nil)
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

// ServeHTTP receives an update from Telegram. It answers 200 only after the receiver has committed
// the update; otherwise Telegram delivers it again. It works even if Run is not active in this
// process.
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
		c.Logger.Warn("update not accepted; Telegram sends it again", "error", err)
		refuse(http.StatusServiceUnavailable)
	}
}

func (c *Channel) delivered(ctx context.Context, body []byte) error {
	c.intake.Lock()
	defer c.intake.Unlock()
	if c.name() == "" { // Run is not active
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

// same compares in constant time.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// unhook removes an unexpected webhook, because polling fails with one. It does so only once per
// run: if the webhook returns, another program uses the bot, and a person has to decide.
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
	c.Logger.Warn("removed the webhook of this bot, because errand polls for messages")
	return true
}
