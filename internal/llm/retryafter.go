package llm

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter guards against wrong clocks and daily limits.
const maxRetryAfter = 10 * time.Minute

// parseRetryAfter reads retry-after-ms (OpenAI, Azure) and Retry-After, in seconds or as an
// HTTP date (RFC 9110, 10.2.3). The result is at most maxRetryAfter; 0: absent or
// unreadable.
func parseRetryAfter(h http.Header, now time.Time) time.Duration {
	if d, ok := parseSeconds(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	v := h.Get("Retry-After")
	if d, ok := parseSeconds(v, time.Second); ok {
		return d
	}
	if t, err := http.ParseTime(strings.TrimSpace(v)); err == nil {
		return min(max(t.Sub(now), 0), maxRetryAfter)
	}
	return 0
}

// parseSeconds accepts fractions too: some proxies send "1.5".
func parseSeconds(s string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) {
		return 0, false
	}
	// Compare before multiplying, because a huge number would overflow.
	return time.Duration(min(max(f, 0), float64(maxRetryAfter/unit)) * float64(unit)), true
}
