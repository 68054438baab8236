package config

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"errand"
)

// A Channel is one account of ours on a platform.
type Channel struct {
	Kind    string // telegram, discord, whatsapp
	Account string
	Token   Secret // empty: the platform has none, or the configuration is a client's
	// TokenFrom says where Token came from, for messages: the variable or the file.
	TokenFrom string
	// Agent is the one that sessions on this account begin with.
	Agent  errand.AgentName
	Access *Access   // nil: that of the platform; also in Config.Access
	Groups GroupMode // of its group chats; empty: as Sessions says
	// URL is of a server other than the platform's own, without a slash at its end.
	URL     string
	Webhook *Webhook // nil: errand asks for messages
	// Reactions mark messages as seen and answered.
	Reactions bool
	// Streaming shows replies while they are being written, where the platform can.
	Streaming bool
	Line      int // of the file
}

// Webhook is the address at which a platform delivers messages.
type Webhook struct {
	URL    string
	Secret Secret // what the platform shows with each message
}

// The platforms.
const (
	Discord  = "discord"
	Telegram = "telegram"
	WhatsApp = "whatsapp"
)

var platforms = []string{Discord, Telegram, WhatsApp}

var (
	accountName   = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	webhookSecret = regexp.MustCompile(`^[A-Za-z0-9_-]{16,256}$`) // https://core.telegram.org/bots/api#setwebhook
	telegramToken = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`)
	discordToken  = regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`)
)

// At returns the account as the rest of errand knows it.
func (c Channel) At() errand.Account { return errand.Account{Channel: c.Kind, Name: c.Account} }

// channels reads our accounts on platforms. It comes after the roster and access.
func (l *loader) channels(root *mapping) {
	section := root.section("channels")
	if section == nil {
		return
	}
	for _, kind := range platforms {
		section.get(kind)
	}
	for _, kind := range section.names {
		n := section.get(kind)
		if n == nil || !slices.Contains(platforms, kind) {
			continue
		}
		for _, m := range section.items(kind, n) {
			if m != nil {
				l.channel(m, kind)
			}
		}
	}
	for _, name := range section.names {
		if !slices.Contains(platforms, name) {
			section.fault(section.lineOf(name), "", "there is no platform %q%s: there are %s", name, didYouMean(name, platforms), strings.Join(platforms, ", "))
		}
	}
}

func (l *loader) channel(m *mapping, kind string) {
	c := Channel{Kind: kind, Account: "main", Line: m.line, Reactions: kind == WhatsApp, Streaming: kind != WhatsApp}
	m.text("account", &c.Account)
	if !accountName.MatchString(c.Account) {
		m.fault(m.lineOf("account"), "account", "an account is called by 1 to 32 of a to z, 0 to 9, - and _")
	}
	l.token(m, &c)
	l.accountAgent(m, &c)
	if m.get("access") != nil || m.get("allow") != nil || m.get("role") != nil {
		a := l.accessOf(m, kind, "access")
		c.Access, l.cfg.Access[c.At().String()] = &a, a
	}
	choice(m, "group_sessions", &c.Groups, OwnSessions, SharedSessions)
	c.URL = accountURL(m, "url")
	l.webhook(m, &c)
	m.boolean("reactions", &c.Reactions)
	m.boolean("streaming", &c.Streaming)
	m.done()
	for _, other := range l.cfg.Channels {
		switch {
		case other.At() == c.At():
			m.fault(m.lineOf("account"), "account", "the %s account %q is there twice, first on line %d", kind, c.Account, other.Line)
		case c.Token != "" && other.Token == c.Token:
			m.fault(m.line, "", "%s has the token of %s (line %d): each account has one of its own", c.TokenFrom, other.At(), other.Line)
		}
	}
	l.cfg.Channels = append(l.cfg.Channels, c)
}

func (l *loader) accountAgent(m *mapping, c *Channel) {
	roster := l.cfg.Roster
	if roster != nil {
		c.Agent = roster.Primary().Name
	}
	if !m.text("agent", (*string)(&c.Agent)) || roster == nil {
		return
	}
	if _, ok := roster.Agent(c.Agent); !ok {
		m.fault(m.lineOf("agent"), "agent", "unknown agent %q%s", c.Agent, didYouMean(string(c.Agent), errand.Strings(roster.Names())))
	}
}

func (l *loader) webhook(m *mapping, c *Channel) {
	if m.get("webhook") == nil {
		return
	}
	w := m.section("webhook")
	if w == nil {
		return
	}
	if c.Kind != Telegram {
		m.fault(m.lineOf("webhook"), "webhook", "is for Telegram only")
	}
	c.Webhook = &Webhook{URL: accountURL(w, "url")}
	if w.get("url") == nil {
		w.fault(w.line, "url", "is missing: the address at which Telegram reaches errand")
	}
	variable := ""
	w.text("secret_env", &variable)
	switch {
	case !variableName.MatchString(variable):
		w.fault(w.lineOf("secret_env"), "secret_env", "want the name of an environment variable; the secret itself does not belong in this file")
	case l.env(variable) == "" && !l.src.Client:
		w.fault(w.lineOf("secret_env"), "secret_env", "the environment variable %s is not set: choose 32 letters or more", variable)
	case c.Kind == Telegram && !l.src.Client && !webhookSecret.MatchString(l.env(variable)):
		w.fault(w.lineOf("secret_env"), "secret_env", "what %s holds is no secret that Telegram takes and nobody guesses: choose 16 to 256 of A to Z, a to z, 0 to 9, _ and -", variable)
	}
	c.Webhook.Secret = Secret(l.env(variable))
	w.done()
}

// accountURL reads an address. It is not repeated: it may hold a password.
func accountURL(m *mapping, key string) string {
	var s string
	if !m.text(key, &s) {
		return ""
	}
	u, err := url.Parse(strings.TrimSpace(s))
	switch {
	case err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme):
		m.fault(m.lineOf(key), key, "want an address such as http://127.0.0.1:8081")
	case u.User != nil:
		m.fault(m.lineOf(key), key, "passwords do not belong in an address")
	}
	return strings.TrimRight(strings.TrimSpace(s), "/")
}
