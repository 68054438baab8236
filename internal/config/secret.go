package config

import (
	"fmt"
	"io"
	"log/slog"
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
