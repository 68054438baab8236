package config

import (
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"errand/internal/ownerkey"
)

const (
	defaultFile   = "errand.yaml"
	defaultData   = "./data"
	defaultListen = "127.0.0.1:8080"
)

// Sources are what a configuration is loaded from. The zero value is the
// environment of the process and the errand.yaml of its working directory.
type Sources struct {
	// File must be there. Empty: what --config or ERRAND_CONFIG names, which
	// must be there too, or else errand.yaml, which need not be.
	File string

	Flags Flags
	Env   func(string) string // nil: os.Getenv

	// Tools are the names of the built-in tools. Nil: tool names are not checked.
	Tools []string

	// Client is for a program that only speaks to a running worker: keys may be
	// absent, and nothing will be listened on.
	Client bool
}

// Load reads and checks the configuration. An error is every fault there is, as
// joined [*Error]s; there is no Config then.
func Load(src Sources) (*Config, error) {
	if src.Env == nil {
		src.Env = os.Getenv
	}
	l := &loader{src: src, cfg: defaults(), unfit: map[string]bool{}, variables: map[string]string{}}
	l.load()
	if len(l.faults) > 0 {
		return nil, l.faults.err()
	}
	return l.cfg, nil
}

// A loader is one call of Load.
type loader struct {
	src       Sources
	cfg       *Config
	root      *yaml.Node // of the file, without the values that have faults; nil: there is none
	file      file
	faults    faults
	unfit     map[string]bool   // keys of the paths to values that were taken out
	variables map[string]string // those that were asked for
}

func (l *loader) load() {
	l.file = file{Settings: &l.cfg.Settings}
	if !l.open() {
		return // the rest would be judged by a file that could not be read
	}
	l.process()
	l.mcpServers()
	l.groups()
	l.approvals()
	l.questions()
	l.code()
	l.texts()
	l.roles()
	l.models()
	l.transcription()
	l.web()
	l.skills()
	l.roster()
	l.procedures()
	l.rights()
	l.access()
	l.channels()
}

// open finds and reads errand.yaml. It returns false if that is impossible.
func (l *loader) open() bool {
	name := cmp.Or(l.src.File, l.src.Flags.Config, l.env("ERRAND_CONFIG"))
	text, err := readFile(cmp.Or(name, defaultFile))
	switch {
	case name == "" && errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil:
		l.faults.add(cmp.Or(name, defaultFile), 0, "%v", err)
		return false
	}
	l.cfg.File = cmp.Or(name, defaultFile)
	before := len(l.faults)
	if l.root = parse(l.cfg.File, text, &l.faults); l.root == nil {
		return len(l.faults) == before
	}
	if l.check(); l.isUnfit(nil) {
		return false
	}
	if err := l.root.Decode(&l.file); err != nil {
		l.faults.add(l.cfg.File, 0, "%v", err)
	}
	return true
}

func (l *loader) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(l.cfg.File), path)
}

// A setting is a value and where it came from.
type setting struct {
	value string
	at    path   // of the file
	from  string // a variable or a flag; empty: the file, or the default
}

func (l *loader) wrong(s setting, format string, args ...any) {
	if s.from == "" {
		l.fault(s.at, format, args...)
		return
	}
	l.faults.add("", 0, s.from+": "+format, args...)
}

// pick returns the value that counts: the flag's, else the variable's, else
// that of the file, else fallback.
func (l *loader) pick(key, value, variable, flag, flagValue, fallback string) setting {
	switch {
	case flagValue != "":
		return setting{value: flagValue, from: flag}
	case l.env(variable) != "":
		return setting{value: l.env(variable), from: variable}
	}
	return setting{value: cmp.Or(value, fallback), at: at(key)}
}

func (l *loader) process() {
	c, flags := l.cfg, l.src.Flags
	data := l.pick("data", l.file.Data, "ERRAND_DATA", "--data", flags.Data, defaultData)
	if data.from == "" && l.file.Data != "" {
		data.value = l.beside(data.value)
	}
	c.Data = data.value
	c.Token, c.Key = Secret(l.env("ERRAND_TOKEN")), Secret(l.env(ownerkey.Env))
	c.DatabaseURL = Secret(l.env("DATABASE_URL"))
	if c.DatabaseURL != "" {
		// The value is not repeated: it holds a password.
		if u, err := url.Parse(c.DatabaseURL.Reveal()); err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
			l.faults.add("", 0, "DATABASE_URL: want postgres://user:password@host/database")
		}
	}
	c.Temporal.Address = l.env("TEMPORAL_ADDRESS")
	c.Temporal.Namespace = cmp.Or(l.env("TEMPORAL_NAMESPACE"), c.Temporal.Namespace)
	c.Temporal.APIKey = Secret(l.env("TEMPORAL_API_KEY"))
	l.listen(l.pick("listen", l.file.Listen, "ERRAND_LISTEN", "--listen", flags.Listen, defaultListen))
	l.public()
	l.ownerSecrets()
	l.log()
}

// log reads the flags that are about the log.
func (l *loader) log() {
	switch format := l.src.Flags.LogFormat; format {
	case "":
	case string(LogText), string(LogJSON):
		l.cfg.Log.Format = LogFormat(format)
	default:
		l.faults.add("", 0, "--log-format: %q is not one of text, json", format)
	}
	switch level := l.src.Flags.LogLevel; level {
	case "":
	case "debug", "info", "warn", "error":
		l.cfg.Log.Level.UnmarshalText([]byte(level)) // knows all four
	default:
		l.faults.add("", 0, "--log-level: %q is not one of debug, info, warn, error", level)
	}
}

// groups takes apart group_sessions: one mode for all group chats, or one for each.
func (l *loader) groups() {
	s := &l.cfg.Sessions
	for chat, mode := range s.GroupChats {
		mode = cmp.Or(mode, OwnSessions)
		s.GroupChats[chat] = mode
		switch {
		case chat == "" || chat == "default":
			s.Groups = mode
			delete(s.GroupChats, chat)
		case strings.Count(chat, "/") < 2:
			l.fault(at("sessions", "group_sessions", chat), "a chat is named as channel/account/chat, such as telegram/main/-1001234567")
		}
	}
	if len(s.GroupChats) == 0 {
		s.GroupChats = nil
	}
}
