package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"errand"
)

// A Voice is what writes down what people say: an endpoint
// /audio/transcriptions of the OpenAI-compatible wire.
type Voice struct {
	Provider
	Language string        // of what is said, ISO 639-1; empty: the model finds out
	Timeout  time.Duration // of one recording; default 60 s
	Cost     VoicePrice
}

// A VoicePrice is in USD. The zero value is free, or unknown.
type VoicePrice struct {
	Call   float64 // of each recording
	Minute float64 // of what is said
}

// bytesPerMinute is what a minute is counted as: 16 kbit/s, the least at which
// phones record speech. How long a recording says that it is, is its sender's word.
const bytesPerMinute = 120_000

// Of returns what a recording of so many bytes costs.
func (p VoicePrice) Of(size int64) float64 {
	return p.Call + p.Minute*float64(size)/bytesPerMinute
}

// TranscriptionCost returns what it costs to write down a recording of so many
// bytes, in USD.
func (c *Client) TranscriptionCost(size int64) float64 { return c.voicePrice.Of(size) }

// A Transcript is what was said in a recording.
type Transcript struct {
	Text  string // empty: nothing
	Usage errand.Usage
}

// A Recording is something that was said.
type Recording struct {
	Name string // of the file; providers go by its ending: "voice.ogg"
	Data []byte
}

// maxSpoken is how much text is taken of one recording, in bytes: an hour of
// somebody who talks fast.
const maxSpoken = 60 << 10

// errNoVoice is that Config.Voice is not set.
var errNoVoice = &Error{Kind: Refused, Message: "no model that writes down speech is configured: see voice in errand.yaml"}

// Transcribe writes down what is said in a recording. Errors
// are *[Error], except that the end of ctx is its cause, wrapped.
func (c *Client) Transcribe(ctx context.Context, r Recording) (Transcript, error) {
	if c.voice == nil {
		return Transcript{}, errNoVoice
	}
	p := c.voice
	leave, err := p.gate.enter(ctx)
	if err != nil {
		return Transcript{}, fmt.Errorf("transcription: %w", err)
	}
	defer leave()
	limited, cancel := context.WithTimeoutCause(ctx, c.hearFor, errNoFirstToken)
	defer cancel()
	x := &exchange{client: p.client, whole: true}
	cfg := openai.DefaultConfig(p.APIKey)
	cfg.BaseURL, cfg.HTTPClient = p.BaseURL, x
	answer, err := openai.NewClientWithConfig(cfg).CreateTranscription(limited, openai.AudioRequest{
		Model: p.Model, FilePath: r.Name, Reader: bytes.NewReader(r.Data), Language: c.spoken,
	})
	switch {
	case err == nil:
		text := strings.TrimSpace(clean(answer.Text))
		if len(text) > maxSpoken {
			text = strings.ToValidUTF8(text[:maxSpoken], "")
		}
		usage := errand.Usage{Model: p.Model, Provider: p.Name, Cost: c.TranscriptionCost(int64(len(r.Data)))}
		return Transcript{text, usage}, nil
	case ctx.Err() != nil:
		return Transcript{}, fmt.Errorf("transcription: %w", context.Cause(ctx))
	case errors.Is(context.Cause(limited), errNoFirstToken):
		return Transcript{}, &Error{Kind: Unreachable, Provider: p.Name, Message: fmt.Sprintf("nothing was written down within %v", c.hearFor)}
	}
	return Transcript{}, c.classify(p, Request{}, x, err)
}
