package discord

import (
	"hash/crc32"
	"math"
	"net/http"
	"strconv"
	"time"
)

// A window is a stretch of time that so many calls fit into.
type window struct {
	used int
	ends time.Time
}

// take counts one more call. If the window is full, wait is the time until it has room.
func (w *window) take(now time.Time, most int, per time.Duration) (wait time.Duration) {
	if !now.Before(w.ends) {
		w.used, w.ends = 0, now.Add(per)
	}
	if w.used >= most {
		return w.ends.Sub(now)
	}
	w.used++
	return 0
}

func (s *Server) window(key string) *window {
	w := s.windows[key]
	if w == nil {
		w = &window{}
		s.windows[key] = w
	}
	return w
}

// limit refuses what comes too fast, and says in the headers how much is left.
// Answers to interactions do not count against the global limit; the caller
// holds mu.
func (s *Server) limit(h http.Header, r *request) error {
	now := s.opts.Now()
	who := "anybody"
	if r.bot != nil {
		who = r.bot.ID
	}
	if r.bot != nil && !open[r.route] && s.opts.Global > 0 {
		if wait := s.window("global "+who).take(now, s.opts.Global, time.Second); wait > 0 {
			return tooMany(h, wait, true)
		}
	}
	if s.opts.PerRoute < 0 {
		return nil
	}
	most, per := s.opts.PerRoute, 5*time.Second
	if r.route == AddReaction || r.route == RemoveReaction {
		most, per = 1, 250*time.Millisecond
	}
	key := who + " " + string(r.route)
	for _, major := range []string{"channel", "guild", "interaction", "token"} {
		key += " " + r.PathValue(major)
	}
	w := s.window(key)
	wait := w.take(now, most, per)
	h.Set("X-RateLimit-Bucket", strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(r.route))), 16))
	h.Set("X-RateLimit-Limit", strconv.Itoa(most))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(most-w.used))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(w.ends.UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", seconds(w.ends.Sub(now)))
	if wait > 0 {
		h.Set("X-RateLimit-Scope", "user")
		return tooMany(h, wait, false)
	}
	return nil
}

func tooMany(h http.Header, wait time.Duration, global bool) error {
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	if global {
		h.Set("X-RateLimit-Global", "true")
		h.Set("X-RateLimit-Scope", "global")
	}
	after, _ := strconv.ParseFloat(seconds(wait), 64)
	return &refusal{status: http.StatusTooManyRequests, text: "You are being rate limited.", after: after, global: global}
}

// seconds rounds up, so that a client that waits so long is not too early.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(math.Ceil(d.Seconds()*1000)/1000, 'f', -1, 64)
}
