package config

import (
	"encoding/base64"
	"strings"
)

// token never repeats text that may be a token.
func (l *loader) token(p path, c *Channel, f channelFile) {
	inEnv, inFile := p.at("token_env"), p.at("token_file")
	switch {
	case c.Kind == WhatsApp:
		for _, p := range []path{inEnv, inFile} {
			if l.has(p) {
				l.fault(p, "WhatsApp uses no token: link the account with errand channels add whatsapp")
			}
		}
		return
	case f.TokenEnv != nil && f.TokenFile != nil:
		l.fault(inFile, "token_env is set too: keep only one of them")
	case f.TokenEnv != nil:
		c.Token, c.TokenFrom = Secret(l.env(*f.TokenEnv)), *f.TokenEnv
		if c.Token == "" && !l.src.Client {
			l.fault(inEnv, "the environment variable %s is not set. To get a token, run errand channels add %s", c.TokenFrom, c.Kind)
		}
	case f.TokenFile != nil:
		l.tokenFile(inFile, c, *f.TokenFile)
	case !l.given(inEnv) && !l.given(inFile) && !l.has(p.at("token")):
		l.fault(p, "has no token: set token_env or token_file. To get a token, run errand channels add %s", c.Kind)
	}
	if why := BadToken(c.Kind, c.Token); why != "" {
		l.fault(p, "the value of %s %s", c.TokenFrom, why)
	}
}

func (l *loader) tokenFile(p path, c *Channel, file string) {
	if file == "" {
		l.fault(p, "is empty: write the path of a file")
		return
	}
	c.TokenFrom = l.beside(file)
	if l.src.Client {
		return // the file is on the worker's machine
	}
	secret, why, absent := l.secretFile(file)
	if absent {
		why += ". To get a token, run errand channels add " + c.Kind
	}
	if why != "" {
		l.fault(p, "%s", why)
	}
	c.Token = secret
}

// BadToken says what is obviously wrong with a token for a platform; empty: nothing.
func BadToken(kind string, secret Secret) string {
	token := secret.Reveal()
	switch {
	case token == "":
		return ""
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "is not a token: tokens have no spaces or special characters"
	case kind == Telegram && discordToken.MatchString(token):
		return "is a Discord token, but this account is on Telegram"
	case kind == Telegram && !telegramToken.MatchString(token):
		return "is not a Telegram token; those look like 123456789:AbCd…"
	case kind == Discord && telegramToken.MatchString(token):
		return "is a Telegram token, but this account is on Discord"
	}
	return ""
}

// BotID returns the bot id at the start of a Telegram or Discord token; empty if it has none.
func BotID(kind string, secret Secret) string {
	var id string
	switch token := secret.Reveal(); kind {
	case Telegram:
		id, _, _ = strings.Cut(token, ":")
	case Discord:
		first, _, _ := strings.Cut(token, ".")
		text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(first, "="))
		if err != nil {
			return ""
		}
		id = string(text)
	}
	if strings.Trim(id, "0123456789") != "" {
		return ""
	}
	return id
}
