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

	"errand/internal/core"
)

// A TranscriptionModel transcribes recordings at an /audio/transcriptions endpoint of the
// OpenAI-compatible wire.
type TranscriptionModel struct {
	Provider
	Language string        // of the recordings, ISO 639-1; empty: the model detects it
	Timeout  time.Duration // per recording; default 60 s
	Cost     TranscriptionPrice
}

// A TranscriptionPrice is in USD. The zero value means free or unknown.
type TranscriptionPrice struct {
	Call   float64 // per recording
	Minute float64 // per minute of the recording
}

// Of returns the price of a recording of this length.
func (p TranscriptionPrice) Of(length time.Duration) float64 {
	return p.Call + p.Minute*length.Minutes()
}

// TranscriptionCost returns the cost of transcribing a recording of this length, in USD.
func (c *Client) TranscriptionCost(length time.Duration) float64 {
	return c.transcriptionPrice.Of(length)
}

// A Transcript is the text of a recording.
type Transcript struct {
	Text  string // empty: nothing was said
	Usage core.Usage
}

// A Recording is an audio file to transcribe.
type Recording struct {
	Name  string // file name; providers read the format from its extension: "voice.ogg"
	Data  []byte
	For   string // as in [Request]
	Guest bool   // likewise
	// Length is the assumed length if the provider reports none.
	Length time.Duration
}

// maxTranscript is in bytes, enough for an hour of fast speech.
const maxTranscript = 60 << 10

var errNoTranscription = &Error{Kind: Refused, Reason: UnknownModel, Message: "no model that writes down speech is configured: see voice in errand.yaml"}

// Transcribe returns the text of a recording. Errors are *[Error], except that if ctx ends
// the error wraps its cause.
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
		usage := core.Usage{Model: p.Model, Provider: p.Name, Cost: c.TranscriptionCost(cmp.Or(billed(x.answer.Bytes()), r.Length))}
		return Transcript{text, usage}, nil
	case ctx.Err() != nil:
		return Transcript{}, fmt.Errorf("transcription: %w", context.Cause(ctx))
	case errors.Is(context.Cause(limited), errNoFirstToken):
		return Transcript{}, (&Error{Kind: Unreachable, Reason: Silent, Provider: p.Name}).about(Hint{Code: "not_heard", About: c.transcribeTimeout.String()})
	}
	return Transcript{}, c.classify(p, Request{}, x, err)
}

// refusalOf ignores the status, because older versions of whisper.cpp's server answer 200:
// https://github.com/ggml-org/whisper.cpp/blob/master/examples/server/server.cpp
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

// billed reads whisper's duration, or the billed seconds of other servers. It returns 0 if
// the answer has neither.
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
