package llm_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	. "errand/internal/test/llmtest"
)

func transcriber(s *Server) llm.Provider {
	return llm.Provider{Name: "ears", BaseURL: s.BaseURL(), APIKey: secret, APIKeyEnv: "OSLO_KEY", Model: "whisper-1"}
}

func listener(t *testing.T, transcriber llm.Provider) *llm.Client {
	t.Helper()
	c, err := llm.New(llm.Config{
		Models:        map[string]llm.Model{"default": {Providers: []llm.Provider{{Name: "oslo", BaseURL: transcriber.BaseURL, Model: "m1"}}}},
		Transcription: &llm.TranscriptionModel{Provider: transcriber, Language: "de", Cost: llm.TranscriptionPrice{Call: 0.5, Minute: 0.006}},
	})
	require.NoError(t, err)
	return c
}

var recording = llm.Recording{Name: "voice.oga", Data: []byte("OggS, what was said"), Length: 90 * time.Second}

func TestSpeechIsWrittenDown(t *testing.T) {
	s := NewServer(t, Transcript("  Night trains to Oslo, please.\n"))
	said, err := listener(t, transcriber(s)).Transcribe(t.Context(), recording)
	require.NoError(t, err)
	require.Equal(t, "Night trains to Oslo, please.", said.Text)
	require.Equal(t, core.Usage{Model: "whisper-1", Provider: "ears", Cost: 0.5 + 0.006*1.5}, said.Usage)
	require.InDelta(t, 0.5+0.012, listener(t, transcriber(s)).TranscriptionCost(2*time.Minute), 1e-9)
	require.Equal(t, "Bearer "+secret, s.Headers()[0].Get("Authorization"))
	body := string(s.Bodies()[0])
	for _, part := range []string{`name="model"`, "whisper-1", `name="language"`, "de", `filename="voice.oga"`, "OggS, what was said"} {
		require.Contains(t, body, part)
	}
}

// What a recording costs is by the length that the provider bills, where it says so.
func TestSpeechIsPaidByItsLength(t *testing.T) {
	tests := []struct {
		name, answer string
		minutes      float64
	}{
		{"it does not say", `{"text": "Oslo"}`, 1.5},
		{"its length", `{"text": "Oslo", "task": "transcribe", "duration": 120.5}`, 120.5 / 60},
		{"what it bills", `{"text": "Oslo", "usage": {"type": "duration", "seconds": 31}}`, 31.0 / 60},
		{"both", `{"text": "Oslo", "duration": 30.2, "usage": {"seconds": 31}}`, 31.0 / 60},
		{"tokens", `{"text": "Oslo", "usage": {"type": "tokens", "input_tokens": 14, "total_tokens": 101}}`, 1.5},
		{"less than nothing", `{"text": "Oslo", "duration": -600}`, 1.5},
		{"more than can be", `{"text": "Oslo", "duration": 1e300}`, 1.5},
		{"words", `{"text": "Oslo", "usage": "none"}`, 1.5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewServer(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(tt.answer)) })
			said, err := listener(t, transcriber(s)).Transcribe(t.Context(), recording)
			require.NoError(t, err)
			require.Equal(t, "Oslo", said.Text)
			require.InDelta(t, 0.5+0.006*tt.minutes, said.Usage.Cost, 1e-9)
		})
	}
}

// Every way in which speech is not written down, and whether it is worth another
// attempt.
func TestSpeechThatIsNotWrittenDown(t *testing.T) {
	tests := []struct {
		name   string
		server Behaviour
		kind   llm.Kind
		again  bool
	}{
		{"the key is wrong", Status(401, "invalid_api_key", "bad key"), llm.Refused, false},
		{"there is no such endpoint", http.NotFound, llm.Refused, false},
		{"it is too large", Status(413, "", "too large"), llm.ContextOverflow, false},
		{"too many at once", Status(429, "", "slow down"), llm.RateLimited, true},
		{"the server has trouble", HTML(503), llm.Overloaded, true},
		{"it answers garbage", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, llm.BadAnswer, true},
		{"it says nothing", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, llm.Unreachable, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewServer(t, tt.server)
			var err error
			if tt.name == "it says nothing" {
				// In this process, so that time can be faked.
				synctest.Test(t, func(t *testing.T) {
					p := transcriber(s)
					p.HTTPClient = InProcess(s)
					_, err = listener(t, p).Transcribe(t.Context(), recording)
				})
			} else {
				_, err = listener(t, transcriber(s)).Transcribe(t.Context(), recording)
			}
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, tt.kind, e.Kind, e.Message)
			require.Equal(t, tt.again, e.Retryable())
			require.NotContains(t, err.Error(), secret)
		})
	}
}

func TestSpeechIsBounded(t *testing.T) {
	s := NewServer(t, Transcript(strings.Repeat("ü", 60<<10)))
	said, err := listener(t, transcriber(s)).Transcribe(t.Context(), recording)
	require.NoError(t, err)
	require.Len(t, said.Text, 60<<10)
}

func TestNobodyListens(t *testing.T) {
	s := NewServer(t, Transcript("hello"))
	_, err := client(t, provider("oslo", s)).Transcribe(t.Context(), recording)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.False(t, e.Retryable())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = listener(t, transcriber(s)).Transcribe(ctx, recording)
	require.ErrorIs(t, err, context.Canceled)
	_, err = llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{provider("oslo", s)}}}, Transcription: &llm.TranscriptionModel{}})
	require.ErrorContains(t, err, "voice")
}
