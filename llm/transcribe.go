package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// A Voice is what writes down what people say: an endpoint
// /audio/transcriptions of the OpenAI-compatible wire.
type Voice struct {
	Provider
	Language string        // of what is said, ISO 639-1; empty: the model finds out
	Timeout  time.Duration // of one recording; default 60 s
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

// Transcribe returns what is said in a recording; empty if nothing is. Errors
// are *[Error], except that the end of ctx is its cause, wrapped.
func (c *Client) Transcribe(ctx context.Context, r Recording) (string, error) {
	if c.voice == nil {
		return "", errNoVoice
	}
	p := c.voice
	leave, err := p.gate.enter(ctx)
	if err != nil {
		return "", fmt.Errorf("transcription: %w", err)
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
		return text, nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("transcription: %w", context.Cause(ctx))
	case errors.Is(context.Cause(limited), errNoFirstToken):
		return "", &Error{Kind: Unreachable, Provider: p.Name, Message: fmt.Sprintf("nothing was written down within %v", c.hearFor)}
	}
	return "", c.classify(p, Request{}, x, err)
}
