package config

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// A Secret is text that must not be seen: whatever prints, logs or encodes it
// shows that it is there and nothing more. [Secret.Reveal] is the one way out.
type Secret string

var _ slog.LogValuer = Secret("")

const redacted = "[redacted]"

// Reveal returns the secret, to be handed to whoever asks for it on the wire.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]", or nothing for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Format covers every verb of fmt, %#v and %x among them.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.String()) }

// LogValue is what slog shows.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is what encoders of JSON and YAML show.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// secretFile reads a secret from a file that only its owner may read. Otherwise why says
// what is wrong with the file, and absent that there is no secret in it yet.
func (l *loader) secretFile(path string) (s Secret, why string, absent bool) {
	file := l.beside(path)
	info, err := os.Stat(file)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Sprintf("others can read %s (%04o): run chmod 600 %s", path, info.Mode().Perm(), file), false
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
