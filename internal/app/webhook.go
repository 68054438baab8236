package app

import (
	"net/http"
	"net/url"
	"strings"

	channeltelegram "errand/internal/channels/telegram"
	"errand/internal/config"
)

func (a *App) hook(path string, h http.Handler) {
	if a.hooks == nil {
		a.hooks = map[string]http.Handler{}
	}
	a.hooks[path] = h
}

func telegramHook(c config.Channel) string { return "/telegram/" + c.Account }

// webhookOf is where Telegram delivers. An address without a path is that of the
// worker.
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
