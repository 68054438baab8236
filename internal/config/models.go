package config

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"errand/internal/agents"
)

const (
	openAI           = "https://api.openai.com/v1"
	openAIKey        = "OPENAI_API_KEY"
	defaultModelName = "gpt-5-mini"
)

// models loads the section models and the environment of the default model. errand's own
// ERRAND_MODEL overrides the file. OPENAI_BASE_URL and OPENAI_API_KEY, which other
// programs use too, only set what the file omits.
func (l *loader) models() {
	defer l.checkTitleModel()
	if why := badURL(l.openAIBase()); l.openAIBase() != "" && why != "" {
		l.faults.add("", 0, "OPENAI_BASE_URL: %s", why)
	}
	if check := l.env("ERRAND_CHECK_MODELS"); check != "" {
		on, err := strconv.ParseBool(check)
		if err != nil {
			l.faults.add("", 0, "ERRAND_CHECK_MODELS: want true or false, found %q", check)
		}
		l.cfg.CheckModels = on
	}
	for key, f := range l.file.Models {
		l.cfg.Models[key] = l.model(key, f)
	}
	if _, configured := l.cfg.Models[agents.DefaultModel]; configured {
		return
	}
	base, key, name := l.openAIBase(), l.env(openAIKey), l.env("ERRAND_MODEL")
	if base == "" && key == "" && name == "" {
		l.cfg.Demo = len(l.cfg.Models) == 0
		return
	}
	p := Provider{Name: cmp.Or(name, defaultModelName), BaseURL: cmp.Or(base, openAI), APIKey: Secret(key), APIKeyEnv: openAIKey}
	if base == "" && key == "" && !l.src.Client {
		l.faults.add("", 0, "ERRAND_MODEL is set, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is: set one of them")
	}
	l.cfg.Models[agents.DefaultModel] = Model{Providers: []Provider{p}}
}

func (l *loader) checkTitleModel() {
	name := l.cfg.Sessions.TitleModel
	if known := l.modelKeys(); name != "" && !slices.Contains(known, name) {
		l.fault(at("sessions", "title_model"), "there is no model %q%s", name, hint(name, known))
	}
}

func (l *loader) openAIBase() string { return strings.TrimRight(l.env("OPENAI_BASE_URL"), "/") }

func (l *loader) model(key string, f modelFile) Model {
	where := at("models", key)
	p := f.Provider
	p.BaseURL, p.APIKeyEnv, p.Vision = cmp.Or(l.openAIBase(), openAI), openAIKey, f.Sees
	if name := l.env("ERRAND_MODEL"); key == agents.DefaultModel && name != "" {
		p.Name = name
	}
	if p.Name == "" {
		l.fault(where.at("name"), "is missing: write the provider's name for the model, such as gpt-5-mini")
	}
	l.endpoint(where, f.endpoint, &p)
	l.checkBackground(where, p)
	if p.BaseURL == openAI && p.APIKey == "" && p.APIKeyEnv != "" && !l.src.Client && !l.namesKey(where) && l.has(where) {
		l.fault(where, "has no API key: set OPENAI_API_KEY, api_key_env or base_url")
	}
	if f.ContextTokens > 0 && f.MaxOutput >= f.ContextTokens {
		l.fault(where.at("max_output"), "%d must be less than context_tokens, which is %d", f.MaxOutput, f.ContextTokens)
	}
	list := append([]Provider{p}, l.failOver(where, f.Providers, p)...)
	return Model{Providers: list, Price: f.Price, MaxOutput: f.MaxOutput, ContextTokens: f.ContextTokens}
}

// failOver loads the other providers of a model. It sends them OPENAI_API_KEY only if the file
// says so, because their operators differ. A model of the same name has the same vision.
func (l *loader) failOver(model path, files []providerFile, first Provider) (list []Provider) {
	for i, f := range files {
		where, p := model.at("providers", i), f.Provider
		p.Name = cmp.Or(p.Name, first.Name)
		if p.Vision = f.Sees; p.Name == first.Name {
			p.Vision = cmp.Or(f.Sees, first.Vision)
		}
		if f.endpoint.BaseURL == "" {
			l.fault(where.at("base_url"), "is missing: write the address of this provider")
		}
		l.endpoint(where, f.endpoint, &p)
		l.checkBackground(where, p)
		list = append(list, p)
	}
	return list
}

// checkBackground checks that the provider's wire supports background. p.BaseURL is already set.
func (l *loader) checkBackground(where path, p Provider) {
	u, err := url.Parse(p.BaseURL)
	if p.Background && p.API != APIResponses && (p.API == APIChat || err == nil && u.Hostname() != "api.openai.com") {
		l.fault(where.at("background"), "needs the Responses API: add api: responses if the server supports it")
	}
}

func (l *loader) namesKey(where path) bool {
	return l.given(where.at("api_key_env")) || l.given(where.at("api_key_file"))
}

// endpoint treats an empty api_key_env as no key.
func (l *loader) endpoint(where path, e endpoint, p *Provider) {
	if e.BaseURL != "" {
		p.BaseURL = strings.TrimRight(strings.TrimSpace(e.BaseURL), "/")
	} else if l.isUnfit(where.at("base_url")) {
		p.BaseURL = "" // do not fall back to a server that needs a key
	}
	if e.KeyEnv != nil {
		p.APIKeyEnv = *e.KeyEnv
	}
	if e.KeyFile != nil {
		l.keyFile(where.at("api_key_file"), p, *e.KeyFile, e.KeyEnv != nil)
		return
	}
	if !variableName.MatchString(p.APIKeyEnv) {
		return // no key, or an inherited key from a file
	}
	p.APIKey = Secret(l.env(p.APIKeyEnv))
	if e.KeyEnv != nil && p.APIKey == "" && !l.src.Client {
		l.fault(where.at("api_key_env"), "the environment variable %s is not set", p.APIKeyEnv)
	}
}

func (l *loader) keyFile(where path, p *Provider, file string, alsoEnv bool) {
	switch {
	case alsoEnv:
		l.fault(where, "api_key_env is set too: keep only one of them")
		return
	case file == "":
		l.fault(where, "is empty: write the path of a file")
		return
	}
	p.APIKey, p.APIKeyEnv = "", l.beside(file)
	if l.src.Client {
		return // the file is on the worker's machine
	}
	secret, why, _ := l.secretFile(file)
	if why != "" {
		l.fault(where, "%s", why)
	}
	p.APIKey = secret
}
