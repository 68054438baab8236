package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// Share has the limits of providers hold for an installation of so many workers: each
// makes its part of the calls that a provider may have in flight. paused are the
// providers that asked any of them not to be called, and for how long from now on.
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

// sharedName is the same for one model of one server, called with one key, in every
// worker. It is a hash: it goes into the store, and the key does not.
func sharedName(p Provider) string {
	return hashName(p.BaseURL, p.APIKey, p.Model)
}

// stateName is the same for one model of one server over one wire, whatever the key:
// that may be changed in the middle of a conversation.
func stateName(p Provider) string { return hashName(p.BaseURL, p.Model, string(p.API)) }

func hashName(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
