package llm

import (
	"math"
	"sync/atomic"

	"errand/internal/core"
)

// Outside these bounds the provider's count is wrong, or the prompt was too short to
// measure.
const (
	leastScale, mostScale = 0.25, 4.0
	leastCounted          = 100 // tokens
)

// A calibration is the ratio of a model's real tokens to the estimated ones, from the latest
// real count. The zero value is a ratio of 1. It is safe for concurrent use.
type calibration struct{ bits atomic.Uint64 }

func (c *calibration) scale() float64 {
	if bits := c.bits.Load(); bits != 0 {
		return math.Float64frombits(bits)
	}
	return 1
}

func (c *calibration) apply(estimate int) int { return int(math.Ceil(float64(estimate) * c.scale())) }

func (c *calibration) learn(u core.Usage) {
	if u.EstimatedTokens < leastCounted || u.InputTokens <= 0 {
		return
	}
	scale := float64(u.InputTokens) / float64(u.EstimatedTokens)
	c.bits.Store(math.Float64bits(min(max(scale, leastScale), mostScale)))
}

// Calibrate starts the estimates from counts that were stored before this process started:
// at most one usage for each model of a provider. It ignores counts of providers that c does
// not have.
func (c *Client) Calibrate(counted []core.Usage) {
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

// Scale returns how many real tokens a model has for each token that [Estimate] guesses,
// from the latest count of its first provider. It returns 1 if there is no count.
func (c *Client) Scale(model string) float64 {
	if m, ok := c.models[model]; ok {
		return m.providers[0].calibration.scale()
	}
	return 1
}
