package config

import (
	"cmp"
	"regexp"
	"strings"

	"errand/internal/core"
)

// A Channel is an account of errand on a platform.
type Channel struct {
	Kind    string // telegram, discord, whatsapp
	Account string
	Token   Secret // empty: the platform has none, or this is a client's configuration
	// TokenFrom is the variable or file that Token came from, for messages.
	TokenFrom string
	// Agent is the agent that sessions on this account begin with.
	Agent  core.AgentName
	Access *Access   // nil: as for the platform; also in Config.Access
	Groups GroupMode // for group chats; empty: as in Sessions
	// URL is a server other than the platform's own, without a trailing slash.
	URL     string
	Webhook *Webhook // nil: errand polls for messages
	// Reactions says whether to mark messages as seen and answered.
	Reactions bool
	// Streaming says whether to show replies while they are written, if the platform can.
	Streaming bool
	Line      int // in the file
}

// Webhook is the address at which a platform delivers messages.
type Webhook struct {
	URL    string
	Secret Secret // sent by the platform with each message
}

// The platforms.
const (
	Discord  = "discord"
	Telegram = "telegram"
	WhatsApp = "whatsapp"
)

var (
	webhookSecret = regexp.MustCompile(`^[A-Za-z0-9_-]{16,256}$`) // https://core.telegram.org/bots/api#setwebhook
	telegramToken = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`)
	discordToken  = regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`)
)

// At returns the account.
func (c Channel) At() core.Account { return core.Account{Channel: c.Kind, Name: c.Account} }

// channels checks the accounts on platforms. It runs after the checks of the roster and of access.
func (l *loader) channels() {
	f := l.file.Channels
	accounts := map[string][]channelFile{Discord: f.Discord, Telegram: f.Telegram, WhatsApp: f.WhatsApp}
	for _, kind := range l.names(at("channels")) {
		for i, account := range accounts[kind] {
			l.channel(at("channels", kind, i), kind, account)
		}
	}
}

func (l *loader) channel(p path, kind string, f channelFile) {
	c := Channel{Kind: kind, Account: cmp.Or(f.Account, "main"), Groups: f.Groups, URL: trimURL(f.URL), Line: l.line(p)}
	c.Reactions, c.Streaming = kind == WhatsApp, kind != WhatsApp
	if f.Reactions != nil {
		c.Reactions = *f.Reactions
	}
	if f.Streaming != nil {
		c.Streaming = *f.Streaming
	}
	l.token(p, &c, f)
	l.accountAgent(p.at("agent"), &c, f.Agent)
	if l.given(p.at("access")) || l.has(p.at("allow")) || l.has(p.at("role")) {
		a := l.checkAccess(p, kind, "access", Access{Mode: f.Access, Allow: f.Allow, Role: f.Role})
		c.Access, l.cfg.Access[c.At().String()] = &a, a
	}
	if f.Webhook != nil {
		l.webhook(p.at("webhook"), &c, *f.Webhook)
	}
	for _, other := range l.cfg.Channels {
		switch {
		case other.At() == c.At():
			l.fault(p.at("account"), "another %s account is already called %q, on line %d", kind, c.Account, other.Line)
		case c.Token != "" && other.Token == c.Token:
			l.fault(p, "%s has the same token as %s (line %d): each account needs its own", c.TokenFrom, other.At(), other.Line)
		}
	}
	l.cfg.Channels = append(l.cfg.Channels, c)
}

func (l *loader) accountAgent(p path, c *Channel, name core.AgentName) {
	roster := l.cfg.Roster
	if roster == nil {
		c.Agent = name
		return
	}
	c.Agent = cmp.Or(name, roster.Primary().Name)
	if _, ok := roster.Agent(c.Agent); !ok {
		l.fault(p, "unknown agent %q%s", c.Agent, hint(string(c.Agent), core.Strings(roster.Names())))
	}
}

func (l *loader) webhook(p path, c *Channel, f webhookFile) {
	if c.Kind != Telegram {
		l.fault(p, "works only on Telegram")
	}
	if f.URL == "" {
		l.fault(p.at("url"), "is missing: write the address at which Telegram reaches errand")
	}
	secret := Secret("")
	switch p := p.at("secret_env"); {
	case f.SecretEnv == "":
		l.fault(p, "is missing: write the name of the environment variable that has the secret")
	case l.env(f.SecretEnv) == "" && !l.src.Client:
		l.fault(p, "the environment variable %s is not set: set it to a random secret of at least 32 letters and digits", f.SecretEnv)
	case c.Kind == Telegram && !l.src.Client && !webhookSecret.MatchString(l.env(f.SecretEnv)):
		l.fault(p, "the secret in %s is not valid: use 16 to 256 characters of A to Z, a to z, 0 to 9, _ and -",
			f.SecretEnv)
	default:
		secret = Secret(l.env(f.SecretEnv))
	}
	c.Webhook = &Webhook{URL: trimURL(f.URL), Secret: secret}
}

func trimURL(s string) string { return strings.TrimRight(strings.TrimSpace(s), "/") }
