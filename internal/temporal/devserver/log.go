//go:build !nodevserver

package devserver

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

// A logger passes the Temporal server's warnings and errors to slog. To keep texts of users out of
// the log, it omits tags that could contain a payload, a request or an object, and cuts long texts.
type logger struct {
	to *slog.Logger
	// with has the tags of every line. The server creates a logger for each workflow and hardly
	// uses it, so tags become attributes only when a line is written.
	with []tag.Tag
	// quiet is set while the server stops: its services then complain about each other.
	quiet *atomic.Bool
}

var (
	_ log.Logger     = logger{}
	_ log.WithLogger = logger{}
)

// noise lists prefixes of warnings, and noiseErrors suffixes of their errors, that need no action.
// They are logged at debug.
var (
	noise = []string{
		"HTTP API port has not been set",       // intended: errand does not need Nexus over HTTP
		"TrailerToContextMetadataInterceptor:", // the server's own problem
		"GetHistory page size is larger",       // a request of the Web UI, which gets smaller pages
	}
	noiseErrors = []string{
		"context canceled",            // the client has disconnected
		"Request unauthorized.",       // a stranger, who must not fill the log
		"Frontend is not healthy yet", // from the server's own parts while it starts
		"shard status unknown",        // the same; they retry
	}
)

// in bytes
const maxTagText = 300

func (logger) Debug(string, ...tag.Tag) {}
func (logger) Info(string, ...tag.Tag)  {}

func (l logger) Warn(msg string, tags ...tag.Tag)  { l.log(slog.LevelWarn, msg, tags) }
func (l logger) Error(msg string, tags ...tag.Tag) { l.log(slog.LevelError, msg, tags) }

func (l logger) DPanic(msg string, tags ...tag.Tag) { l.log(slog.LevelError, msg, tags) }
func (l logger) Panic(msg string, tags ...tag.Tag)  { l.log(slog.LevelError, msg, tags) }

// Fatal panics instead of ending the process. launch turns the panic into an error.
func (l logger) Fatal(msg string, tags ...tag.Tag) {
	l.log(slog.LevelError, msg, tags)
	if !l.quiet.Load() {
		panic("temporal: " + msg)
	}
}

func (l logger) With(tags ...tag.Tag) log.Logger {
	l.with = slices.Concat(l.with, tags)
	return l
}

func (l logger) log(level slog.Level, msg string, tags []tag.Tag) {
	ctx := context.Background()
	if l.quiet.Load() || !l.to.Enabled(ctx, level) {
		return
	}
	as := attrs(slices.Concat(l.with, tags))
	if isNoise(msg, as) {
		level = slog.LevelDebug
	}
	l.to.LogAttrs(ctx, level, "temporal: "+msg, as...)
}

func isNoise(msg string, as []slog.Attr) bool {
	for _, start := range noise {
		if strings.HasPrefix(msg, start) {
			return true
		}
	}
	for _, a := range as {
		for _, end := range noiseErrors {
			if a.Key == "error" && strings.HasSuffix(a.Value.String(), end) {
				return true
			}
		}
	}
	return false
}

func attrs(tags []tag.Tag) []slog.Attr {
	as := make([]slog.Attr, 0, len(tags))
	for _, t := range tags {
		switch v := t.Value().(type) {
		case string:
			if len(v) > maxTagText {
				v = v[:maxTagText] + "…"
			}
			as = append(as, slog.String(t.Key(), v))
		case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64, time.Duration, time.Time:
			as = append(as, slog.Any(t.Key(), v))
		}
	}
	return as
}
