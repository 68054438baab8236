package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"errand"
)

// A TranscriptionModel is what writes down what people say: an endpoint
// /audio/transcriptions of the OpenAI-compatible wire.
type TranscriptionModel struct {
	Provider
	Language string        // of what is said, ISO 639-1; empty: the model finds out
	Timeout  time.Duration // of one recording; default 60 s
	Cost     TranscriptionPrice
}

// A TranscriptionPrice is in USD. The zero value is free, or unknown.
type TranscriptionPrice struct {
	Call   float64 // of each recording
	Minute float64 // of what is said
}

// Of returns what a recording costs that is so long.
func (p TranscriptionPrice) Of(length time.Duration) float64 {
	return p.Call + p.Minute*length.Minutes()
}

// TranscriptionCost returns what it costs to write down a recording that is so
// long, in USD.
func (c *Client) TranscriptionCost(length time.Duration) float64 {
	return c.transcriptionPrice.Of(length)
}

// A Transcript is what was said in a recording.
type Transcript struct {
	Text  string // empty: nothing
	Usage errand.Usage
}

// A Recording is something that was said.
type Recording struct {
	Name  string // of the file; providers go by its ending: "voice.ogg"
	Data  []byte
	For   string // as in [Request]
	Guest bool   // likewise
	// Length is how long it is taken for where the provider does not say.
	Length time.Duration
}

// maxTranscript is how much text is taken of one recording, in bytes: an hour of
// somebody who talks fast.
const maxTranscript = 60 << 10

// errNoTranscription is that Config.Transcription is not set.
var errNoTranscription = &Error{Kind: Refused, Reason: UnknownModel, Message: "no model that writes down speech is configured: see voice in errand.yaml"}

// Transcribe writes down what is said in a recording. Errors
// are *[Error], except that the end of ctx is its cause, wrapped.
func (c *Client) Transcribe(ctx context.Context, r Recording) (Transcript, error) {
	if c.transcription == nil {
		return Transcript{}, errNoTranscription
	}
	p := c.transcription
	release, err := p.acquire(ctx, Request{For: r.For, Guest: r.Guest})
	if err != nil {
		return Transcript{}, fmt.Errorf("transcription: %w", err)
	}
	defer release()
	limited, cancel := context.WithTimeoutCause(ctx, c.transcribeTimeout, errNoFirstToken)
	defer cancel()
	x := &exchange{client: p.client, whole: true}
	cfg := openai.DefaultConfig(p.APIKey)
	cfg.BaseURL, cfg.HTTPClient = p.BaseURL, x
	answer, err := openai.NewClientWithConfig(cfg).CreateTranscription(limited, openai.AudioRequest{
		Model: p.Model, FilePath: r.Name, Reader: bytes.NewReader(r.Data), Language: c.spokenLanguage,
	})
	refusal := report{}
	if err == nil && answer.Text == "" {
		refusal = refusalOf(x.answer.Bytes())
	}
	switch {
	case refusal.known():
		e := &Error{Kind: Refused, Provider: p.Name, Status: x.status}
		e.describe(p, Request{}, refusal)
		return Transcript{}, e
	case err == nil:
		text := strings.TrimSpace(clean(answer.Text))
		if len(text) > maxTranscript {
			text = strings.ToValidUTF8(text[:maxTranscript], "")
		}
		usage := errand.Usage{Model: p.Model, Provider: p.Name, Cost: c.TranscriptionCost(cmp.Or(billed(x.answer.Bytes()), r.Length))}
		return Transcript{text, usage}, nil
	case ctx.Err() != nil:
		return Transcript{}, fmt.Errorf("transcription: %w", context.Cause(ctx))
	case errors.Is(context.Cause(limited), errNoFirstToken):
		return Transcript{}, (&Error{Kind: Unreachable, Reason: Silent, Provider: p.Name}).about(Hint{Code: "not_heard", About: c.transcribeTimeout.String()})
	}
	return Transcript{}, c.classify(p, Request{}, x, err)
}

// refusalOf is what an answer says that is an error, whatever its status: older
// versions of whisper.cpp's server answer 200 to what they cannot read
// (https://github.com/ggml-org/whisper.cpp/blob/master/examples/server/server.cpp).
func refusalOf(answer []byte) report {
	var said struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(answer, &said) != nil || !isSet(said.Error) {
		return report{}
	}
	return parseReport(answer)
}

const mostBilled = 24 * time.Hour

// billed is how long the recording was that a provider's answer is about: whisper
// and what is like it say duration, others what they bill; 0: it does not say.
func billed(answer []byte) time.Duration {
	var said struct {
		Duration float64 `json:"duration"`
		Usage    struct {
			Seconds float64 `json:"seconds"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return 0
	}
	seconds := max(said.Duration, said.Usage.Seconds)
	if seconds <= 0 || seconds > mostBilled.Seconds() {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}
