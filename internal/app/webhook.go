package app

import (
	"net/url"
	"strings"

	channeltelegram "errand/internal/channels/telegram"
	"errand/internal/config"
)

func telegramHook(c config.Channel) string { return "/telegram/" + c.Account }

// webhookOf adds the worker's path to a URL without one.
func webhookOf(c config.Channel) *channeltelegram.Webhook {
	if c.Webhook == nil {
		return nil
	}
	to := c.Webhook.URL
	if u, err := url.Parse(to); err == nil && strings.Trim(u.Path, "/") == "" {
		to = u.JoinPath(telegramHook(c)).String()
	}
	return &channeltelegram.Webhook{URL: to, Secret: c.Webhook.Secret.Reveal()}
}
