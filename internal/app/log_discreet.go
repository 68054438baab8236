package app

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
)

// A discreet handler replaces chats and people in the log with short names, because a chat may be a
// phone number. A name stays the same during the life of the process. At debug level nothing is
// replaced.
type discreet struct {
	slog.Handler
	key []byte // random per process, because otherwise phone numbers could be found by trying them
}

func newDiscreet(h slog.Handler) slog.Handler {
	if h.Enabled(context.Background(), slog.LevelDebug) {
		return h
	}
	key := make([]byte, 16)
	rand.Read(key) // never fails, see crypto/rand
	return discreet{h, key}
}

var private = []string{"chat", "to_chat", "sender"}

// workflowID finds ids that contain a chat, in attributes of Temporal and in errors.
var workflowID = regexp.MustCompile(`\b(session|outbox)/[^\s"',;]+`)

func (d discreet) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, d.text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(d.attr(a))
		return true
	})
	return d.Handler.Handle(ctx, out)
}

func (d discreet) WithAttrs(attrs []slog.Attr) slog.Handler {
	attrs = slices.Clone(attrs)
	for i, a := range attrs {
		attrs[i] = d.attr(a)
	}
	return discreet{d.Handler.WithAttrs(attrs), d.key}
}

func (d discreet) WithGroup(name string) slog.Handler {
	return discreet{d.Handler.WithGroup(name), d.key}
}

func (d discreet) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch {
	case slices.Contains(private, a.Key):
		return slog.String(a.Key, d.name(v.String()))
	case v.Kind() == slog.KindString:
		return slog.String(a.Key, d.text(v.String()))
	case v.Kind() == slog.KindGroup:
		group := slices.Clone(v.Group())
		for i, in := range group {
			group[i] = d.attr(in)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(group...)}
	case v.Kind() == slog.KindAny:
		if text := fmt.Sprint(v.Any()); workflowID.MatchString(text) {
			return slog.String(a.Key, d.text(text))
		}
	}
	return a
}

func (d discreet) text(s string) string {
	return workflowID.ReplaceAllStringFunc(s, func(id string) string {
		return workflowID.FindStringSubmatch(id)[1] + "/" + d.name(id)
	})
}

func (d discreet) name(s string) string {
	if s == "" {
		return ""
	}
	sum := hmac.New(sha256.New, d.key)
	sum.Write([]byte(s))
	return "#" + hex.EncodeToString(sum.Sum(nil)[:4])
}
