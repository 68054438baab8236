package config_test

import (
	"testing"

	"errand/internal/config"
)

func TestBotID(t *testing.T) {
	for _, tt := range []struct{ kind, token, want string }{
		{config.Telegram, "123456789:AbCdEf", "123456789"},
		{config.Telegram, "nothing of the kind", ""},
		{config.Discord, "MTIzNDU2Nzg5MDEyMzQ1Njc4.GAbCdE.xyz", "123456789012345678"},
		{config.Discord, "MTIzNDU2Nzg5MDEyMzQ1Njc=.GAbCdE.xyz", "12345678901234567"},
		{config.Discord, "%%%.GAbCdE.xyz", ""},
		{config.Discord, "YWJj.GAbCdE.xyz", ""},
		{config.WhatsApp, "", ""},
	} {
		if got := config.BotID(tt.kind, config.Secret(tt.token)); got != tt.want {
			t.Errorf("the id in %q is %q, want %q", tt.token, got, tt.want)
		}
	}
}
