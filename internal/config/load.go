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

// Sources are the inputs of a configuration. The zero value uses the environment of the
// process and the errand.yaml in its working directory.
type Sources struct {
	// File is a path that must exist. If it is empty, Load uses the path in --config or
	// ERRAND_CONFIG, which must exist too, or else errand.yaml, which is optional.
	File string

	Flags Flags
	Env   func(string) string // nil: os.Getenv

	// Tools are the names of the built-in tools. Nil: tool names are not checked.
	Tools []string

	// OwnTools are the built-in tools that errand runs itself. They cannot need an approval.
	OwnTools []string

	// Client is set by programs that only call a worker. They do not listen, and need no keys.
	Client bool
}

// Load reads and checks the configuration. The error joins all errors found, as [*Error] values.
func Load(src Sources) (*Config, error) {
	if src.Env == nil {
		src.Env = os.Getenv
	}
	l := &loader{document: document{src: src, unfit: map[string]bool{}, variables: map[string]string{}}, cfg: defaults()}
	l.load()
	if len(l.faults) > 0 {
		return nil, l.faults.err()
	}
	return l.cfg, nil
}

// A document is errand.yaml as a tree of nodes, with the environment. It collects errors.
type document struct {
	src       Sources
	path      string     // of errand.yaml; empty: no file
	root      *yaml.Node // without invalid values; nil: no file
	faults    faults
	unfit     map[string]bool   // keys of the paths of removed values
	variables map[string]string // variables already read
}

type loader struct {
	document
	cfg  *Config
	file file
}

func (l *loader) load() {
	l.file = file{Settings: &l.cfg.Settings}
	if !l.open() {
		return // without the file, other checks would mislead
	}
	l.process()
	l.mcpServers()
	l.groups()
	l.approvals()
	l.questions()
	l.backup()
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

// open returns false if errand.yaml cannot be used.
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
	l.path = cmp.Or(name, defaultFile)
	l.cfg.File = l.path
	before := len(l.faults)
	if l.root = parse(l.path, text, &l.faults); l.root == nil {
		return len(l.faults) == before
	}
	if l.check(); l.isUnfit(nil) {
		return false
	}
	if err := l.root.Decode(&l.file); err != nil {
		l.faults.add(l.path, 0, "%v", err)
	}
	return true
}

func (d *document) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(d.path), path)
}

type setting struct {
	value string
	at    path   // in the file
	from  string // the variable or flag; empty: the file or the default
}

func (d *document) wrong(s setting, format string, args ...any) {
	if s.from == "" {
		d.fault(s.at, format, args...)
		return
	}
	d.faults.add("", 0, s.from+": "+format, args...)
}

// pick returns the flag if it is set, else the variable, the file's value, or fallback.
func (d *document) pick(key, value, variable, flag, flagValue, fallback string) setting {
	switch {
	case flagValue != "":
		return setting{value: flagValue, from: flag}
	case d.env(variable) != "":
		return setting{value: d.env(variable), from: variable}
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
		// Do not repeat the value: it holds a password.
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
		l.cfg.Log.Level.UnmarshalText([]byte(level)) // cannot fail for these values
	default:
		l.faults.add("", 0, "--log-level: %q is not one of debug, info, warn, error", level)
	}
}

func (l *loader) backup() {
	b := &l.cfg.Backup
	switch {
	case !l.has(at("backup")):
	case b.Folder == "":
		l.fault(at("backup"), "names no folder: write one under folder, best on another disk")
	case b.Every == 0 && !l.isUnfit(at("backup", "every")):
		l.fault(at("backup"), "has no every: write for example every: 24h")
	default:
		b.Folder = l.beside(b.Folder)
	}
}

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
			l.fault(at("sessions", "group_sessions", chat), "write a chat as channel/account/chat, such as telegram/main/-1001234567")
		}
	}
	if len(s.GroupChats) == 0 {
		s.GroupChats = nil
	}
}
