package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// Share divides the concurrency limits of the providers among the workers of an
// installation. paused are the providers that have asked any worker for a pause, with the
// time that is left.
func (c *Client) Share(workers int, paused map[string]time.Duration) {
	for _, s := range c.servers {
		s.semaphore.Divide(max(1, workers))
	}
	now := time.Now()
	for _, m := range c.models {
		for _, p := range m.providers {
			if wait := paused[p.shared]; wait > 0 {
				p.closeUntil(now.Add(wait))
			}
		}
	}
}

// sharedName returns a hash because the store keeps the name, and must not keep the key.
func sharedName(p Provider) string {
	return hashName(p.BaseURL, p.APIKey, p.Model)
}

// stateName leaves out the key, which may change during a conversation.
func stateName(p Provider) string { return hashName(p.BaseURL, p.Model, string(p.API)) }

func hashName(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
