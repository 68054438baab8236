package config

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// A Secret is text that prints, logs and encodes as "[redacted]". Only [Secret.Reveal] returns it.
type Secret string

var _ slog.LogValuer = Secret("")

const redacted = "[redacted]"

// Reveal returns the secret.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]", or nothing for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Format redacts the secret for every verb of fmt, including %#v and %x.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.String()) }

// LogValue redacts the secret for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText redacts the secret for JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// secretFile returns the secret in a file, or says why it cannot be used. absent reports
// that the file cannot be read or is empty.
func (d *document) secretFile(path string) (s Secret, why string, absent bool) {
	file := d.beside(path)
	info, err := os.Stat(file)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Sprintf("other users can read %s (%04o): run chmod 600 %s", path, info.Mode().Perm(), file), false
	}
	text, err := readFile(file)
	if err != nil {
		return "", fmt.Sprintf("%s: %v", path, err), true
	}
	if s = Secret(strings.TrimSpace(string(text))); s == "" {
		return "", path + ": is empty", true
	}
	return s, "", false
}
