package config

import (
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

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
	l := &loader{src: src, cfg: defaults(), variables: map[string]string{}}
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
	faults    faults
	variables map[string]string // those that were asked for
	prompts   []string          // files of texts for agents
	titleLine int               // of sessions.title_model
}

func (l *loader) load() {
	root, ok := l.open()
	if !ok {
		return // the rest would be judged by a file that could not be read
	}
	l.process(root)
	l.mcpServers(root)
	l.sections(root)
	l.texts(root)
	l.roles(root)
	l.models(root)
	l.transcription(root)
	l.web(root)
	l.hooks(root)
	l.code(root)
	l.skills(root)
	l.roster(root)
	l.procedures(root)
	l.rights(root)
	l.access(root)
	l.channels(root)
	l.files(root)
	root.done()
}

// open finds and parses errand.yaml. Without one the mapping is nil.
func (l *loader) open() (root *mapping, ok bool) {
	name := cmp.Or(l.src.File, l.src.Flags.Config, l.env("ERRAND_CONFIG"))
	text, err := readFile(cmp.Or(name, defaultFile))
	switch {
	case name == "" && errors.Is(err, fs.ErrNotExist):
		return nil, true
	case err != nil:
		l.faults.add(cmp.Or(name, defaultFile), 0, "%v", err)
		return nil, false
	}
	l.cfg.File = cmp.Or(name, defaultFile)
	root = parse(l.cfg.File, text, &l.faults)
	return root, len(l.faults) == 0 || root != nil
}

func (l *loader) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(l.cfg.File), path)
}

// A setting is a value and what to call the place it came from.
type setting struct {
	value string
	file  string
	line  int
	from  string
}

func (l *loader) fault(s setting, format string, args ...any) {
	l.faults.add(s.file, s.line, s.from+": "+format, args...)
}

// pick returns the value that counts: the flag's, else the variable's, else
// that of the file, else fallback.
func (l *loader) pick(m *mapping, key, variable, flag, flagValue, fallback string) setting {
	s := setting{value: fallback, from: key}
	if m.text(key, &s.value) && s.value != "" {
		s.file, s.line, s.from = m.doc.name, m.lineOf(key), m.path+key
	}
	s.value = cmp.Or(s.value, fallback)
	if variable != "" && l.env(variable) != "" {
		s = setting{value: l.env(variable), from: variable}
	}
	if flagValue != "" {
		s = setting{value: flagValue, from: flag}
	}
	return s
}

func (l *loader) process(root *mapping) {
	c, flags := l.cfg, l.src.Flags
	data := l.pick(root, "data", "ERRAND_DATA", "--data", flags.Data, defaultData)
	if data.file != "" {
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
	l.listen(l.pick(root, "listen", "ERRAND_LISTEN", "--listen", flags.Listen, defaultListen))
	l.public(root)
	l.v1(root)
	l.ownerSecrets()
	l.log(root.section("log"))
}

func (l *loader) log(m *mapping) {
	format := l.pick(m, "format", "", "--log-format", l.src.Flags.LogFormat, string(LogText))
	level := l.pick(m, "level", "", "--log-level", l.src.Flags.LogLevel, "info")
	switch f := LogFormat(format.value); f {
	case LogText, LogJSON:
		l.cfg.Log.Format = f
	default:
		l.fault(format, "%q is not one of text, json", format.value)
	}
	switch level.value {
	case "debug", "info", "warn", "error":
		l.cfg.Log.Level.UnmarshalText([]byte(level.value)) // knows all four
	default:
		l.fault(level, "%q is not one of debug, info, warn, error", level.value)
	}
	m.done()
}
