package config

import (
	"encoding/base64"
	"strings"
)

// token reads the token of an account. Nothing that might be one is repeated.
func (l *loader) token(m *mapping, c *Channel) {
	var variable, path string
	if m.get("token") != nil {
		m.fault(m.lineOf("token"), "token", "a token does not belong in this file: put it into an environment variable (token_env) or a file of its own (token_file), and have a new one made, since this file may have been seen")
	}
	inEnv, inFile := m.text("token_env", &variable), m.text("token_file", &path)
	switch {
	case c.Kind == WhatsApp:
		for _, key := range []string{"token_env", "token_file"} {
			if m.get(key) != nil {
				m.fault(m.lineOf(key), key, "WhatsApp has no tokens: errand channels add whatsapp links the account")
			}
		}
		return
	case inEnv && inFile:
		m.fault(m.lineOf("token_file"), "token_file", "there is token_env too: keep one of them")
	case inEnv:
		l.tokenEnv(m, c, variable)
	case inFile:
		l.tokenFile(m, c, path)
	case m.get("token") == nil:
		m.fault(m.line, "", "it names no token: give token_env or token_file. How to get one: errand channels add %s", c.Kind)
	}
	if why := BadToken(c.Kind, c.Token); why != "" {
		m.fault(m.line, "", "what %s holds %s", c.TokenFrom, why)
	}
}

func (l *loader) tokenEnv(m *mapping, c *Channel, variable string) {
	if !variableName.MatchString(variable) {
		m.fault(m.lineOf("token_env"), "token_env", "want the name of an environment variable; the token itself does not belong in this file")
		return
	}
	c.Token, c.TokenFrom = Secret(l.env(variable)), variable
	if c.Token == "" && !l.src.Client {
		m.fault(m.lineOf("token_env"), "token_env", "the environment variable %s is not set. How to get a token: errand channels add %s", variable, c.Kind)
	}
}

func (l *loader) tokenFile(m *mapping, c *Channel, path string) {
	line := m.lineOf("token_file")
	if path == "" {
		m.fault(line, "token_file", "names no file")
		return
	}
	c.TokenFrom = l.beside(path)
	if l.src.Client {
		return // the file is the worker's
	}
	secret, why, absent := l.secretFile(path)
	if absent {
		why += ". How to get a token: errand channels add " + c.Kind
	}
	if why != "" {
		m.fault(line, "token_file", "%s", why)
	}
	c.Token = secret
}

// BadToken says what is wrong with a token for a platform that the platform need
// not be asked about; empty: nothing.
func BadToken(kind string, secret Secret) string {
	token := secret.Reveal()
	switch {
	case token == "":
		return ""
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "is no token: it has spaces or other letters that no token has"
	case kind == Telegram && discordToken.MatchString(token):
		return "is a token of Discord's, and this account is on Telegram"
	case kind == Telegram && !telegramToken.MatchString(token):
		return "is no token of Telegram's, which looks like 123456789:AbCd…"
	case kind == Discord && telegramToken.MatchString(token):
		return "is a token of Telegram's, and this account is on Discord"
	}
	return ""
}

// BotID is the id of the bot that a token is for, which Telegram and Discord put in
// front of it; empty where it cannot be told.
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
