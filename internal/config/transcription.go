package config

import (
	"cmp"
	"time"

	"errand/internal/agents"
)

const (
	defaultTranscriptionModel = "whisper-1"
	defaultRecordingLength    = 20 * time.Minute
)

// transcription takes missing settings from the default model, if that is configured.
func (l *loader) transcription() {
	f, p := l.file.Voice, at("voice")
	if f == nil {
		return
	}
	v := TranscriptionModel{Language: f.Language, Price: f.Price, MaxLength: defaultRecordingLength}
	v.Provider = Provider{Name: cmp.Or(f.Model, defaultTranscriptionModel), BaseURL: cmp.Or(l.openAIBase(), openAI), APIKeyEnv: openAIKey}
	v.APIKey = Secret(l.env(openAIKey))
	if d := l.cfg.Models[agents.DefaultModel]; len(d.Providers) > 0 {
		first := d.Providers[0]
		v.BaseURL, v.APIKey, v.APIKeyEnv = first.BaseURL, first.APIKey, first.APIKeyEnv
	}
	inherited := v.BaseURL
	l.endpoint(p, f.endpoint, &v.Provider)
	if !l.namesKey(p) && v.BaseURL != inherited {
		// Do not send the key to another server.
		v.APIKey, v.APIKeyEnv = "", ""
	}
	if v.BaseURL == openAI && v.APIKey == "" && !l.src.Client && !l.namesKey(p) {
		l.fault(p, "has no API key: set OPENAI_API_KEY, api_key_env or base_url")
	}
	if l.has(p.at("max_length")) {
		v.MaxLength = f.MaxLength
	}
	l.cfg.Transcription = &v
}
