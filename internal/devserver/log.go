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

// A logger passes the Temporal server's warnings and errors on to slog. What the
// server has to say below that is of no use to the people who run errand.
//
// Tags of a kind that could hold a payload, a request or a whole object are left
// out, and long texts are cut: no words of users get into the log this way.
type logger struct {
	to *slog.Logger
	// with are the tags of every line. The server makes a logger for each workflow and
	// says nothing by most of them, so they become attributes when a line is written.
	with []tag.Tag
	// quiet is set while the server stops: its services then complain about
	// each other's absence.
	quiet *atomic.Bool
}

var (
	_ log.Logger     = logger{}
	_ log.WithLogger = logger{}
)

// noise are the beginnings of warnings, and the ends of errors in them, that
// nobody can do anything about. They are logged at debug.
var (
	noise = []string{
		"HTTP API port has not been set",       // meant: nothing of ours needs Nexus over HTTP
		"TrailerToContextMetadataInterceptor:", // the server about its own insides
		"No worker polling control queue",      // a worker that was killed cannot be told to cancel; its heartbeat ends what it did
		"GetHistory page size is larger",       // what the Web UI asks for; it gets smaller pages
	}
	noiseErrors = []string{
		"context canceled",                     // a client that left
		"Request unauthorized.",                // a stranger, who is told so and shall not fill the log
		"Frontend is not healthy yet",          // the server's own parts while it starts
		"shard status unknown",                 // the same; they ask again
		"(UPSTREAM_TIMEOUT): upstream timeout", // "No worker polling control queue" once more
	}
)

// maxTagText is the longest text of a tag that is logged, in bytes.
const maxTagText = 300

func (logger) Debug(string, ...tag.Tag) {}
func (logger) Info(string, ...tag.Tag)  {}

func (l logger) Warn(msg string, tags ...tag.Tag)  { l.log(slog.LevelWarn, msg, tags) }
func (l logger) Error(msg string, tags ...tag.Tag) { l.log(slog.LevelError, msg, tags) }

func (l logger) DPanic(msg string, tags ...tag.Tag) { l.log(slog.LevelError, msg, tags) }
func (l logger) Panic(msg string, tags ...tag.Tag)  { l.log(slog.LevelError, msg, tags) }

// Fatal means that the server cannot go on. Its own logger ends the process; this
// one panics, which Start turns into an error when it happens while starting.
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
