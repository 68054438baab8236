package config

import (
	"net/url"
	"os"
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

// channel reads one account.
func (l *loader) channel(m *mapping, kind string) {
	c := Channel{Kind: kind, Account: "main", Line: m.line, Reactions: kind == WhatsApp}
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

// accountAgent reads the agent of an account.
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
				m.fault(m.lineOf(key), key, "WhatsApp has no tokens: starter channels add whatsapp links the account")
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
		m.fault(m.line, "", "it names no token: give token_env or token_file. How to get one: starter channels add %s", c.Kind)
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
		m.fault(m.lineOf("token_env"), "token_env", "the environment variable %s is not set. How to get a token: starter channels add %s", variable, c.Kind)
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
	info, err := os.Stat(c.TokenFrom)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		m.fault(line, "token_file", "others can read %s (%04o): run chmod 600 %s", path, info.Mode().Perm(), c.TokenFrom)
		return
	}
	text, err := readFile(c.TokenFrom)
	if err != nil {
		m.fault(line, "token_file", "%s: %v. How to get a token: starter channels add %s", path, err, c.Kind)
		return
	}
	if c.Token = Secret(strings.TrimSpace(string(text))); c.Token == "" {
		m.fault(line, "token_file", "%s: is empty. How to get a token: starter channels add %s", path, c.Kind)
	}
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
