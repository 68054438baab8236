package config

import (
	"cmp"
	"regexp"
	"time"

	"errand/internal/agents"
)

const (
	defaultTranscriptionModel = "whisper-1"
	defaultRecordingLength    = 20 * time.Minute
)

var languageCode = regexp.MustCompile(`^[a-z]{2,3}$`)

// transcription reads the section voice. What it leaves out is as for the default model,
// where that is a configured one.
func (l *loader) transcription(root *mapping) {
	m := root.section("voice")
	if m == nil {
		return
	}
	v := TranscriptionModel{MaxLength: defaultRecordingLength, Provider: Provider{Name: defaultTranscriptionModel, BaseURL: cmp.Or(l.openAIBase(), openAI), APIKeyEnv: openAIKey, APIKey: Secret(l.env(openAIKey))}}
	if d := l.cfg.Models[agents.DefaultModel]; len(d.Providers) > 0 {
		p := d.Providers[0]
		v.BaseURL, v.APIKey, v.APIKeyEnv = p.BaseURL, p.APIKey, p.APIKeyEnv
	}
	inherited := v.BaseURL
	m.text("model", &v.Name)
	if v.Name == "" {
		m.fault(m.lineOf("model"), "model", "want what the provider calls the model, such as %s", defaultTranscriptionModel)
	}
	l.endpoint(m, &v.Provider)
	if !namesKey(m) && v.BaseURL != inherited {
		// Another server is not sent the key of the first.
		v.APIKey, v.APIKeyEnv = "", ""
	}
	if v.BaseURL == openAI && v.APIKey == "" && !l.src.Client && !namesKey(m) {
		m.fault(m.line, "", "there is no key for it: set OPENAI_API_KEY, or give api_key_env or base_url")
	}
	if m.text("language", &v.Language) && v.Language != "" && !languageCode.MatchString(v.Language) {
		m.fault(m.lineOf("language"), "language", "%q is not a language: write for example en", v.Language)
	}
	m.duration("max_length", &v.MaxLength, 0)
	if price := m.section("price"); price != nil {
		price.money("call", &v.Price.Call)
		price.money("minute", &v.Price.Minute)
		price.done()
	}
	m.done()
	l.cfg.Transcription = &v
}
