package llm

import (
	"math"
	"sync/atomic"

	"errand"
)

// Bounds of a calibration: beyond them it is the count that is wrong, or the prompt was
// too short to tell.
const (
	leastScale, mostScale = 0.25, 4.0
	leastCounted          = 100 // tokens
)

// A calibration is how many tokens a model of a provider has for one that is estimated,
// by the last real count. The zero value is 1. It is safe for concurrent use.
type calibration struct{ bits atomic.Uint64 }

func (c *calibration) scale() float64 {
	if bits := c.bits.Load(); bits != 0 {
		return math.Float64frombits(bits)
	}
	return 1
}

func (c *calibration) apply(estimate int) int { return int(math.Ceil(float64(estimate) * c.scale())) }

func (c *calibration) learn(u errand.Usage) {
	if u.EstimatedTokens < leastCounted || u.InputTokens <= 0 {
		return
	}
	scale := float64(u.InputTokens) / float64(u.EstimatedTokens)
	c.bits.Store(math.Float64bits(min(max(scale, leastScale), mostScale)))
}

// Calibrate has estimates begin with what was counted before this process: at most one
// usage for each model of a provider. What no provider of c counted is ignored.
func (c *Client) Calibrate(counted []errand.Usage) {
	for _, u := range counted {
		for _, m := range c.models {
			for _, p := range m.providers {
				if p.Model == u.Model && p.Name == u.Provider {
					p.calibration.learn(u)
				}
			}
		}
	}
}

// Scale is how many tokens a model has for one that [Estimate] guesses, by the last real
// count of its first provider; 1 where nothing is known.
func (c *Client) Scale(model string) float64 {
	if m, ok := c.models[model]; ok {
		return m.providers[0].calibration.scale()
	}
	return 1
}
