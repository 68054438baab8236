package config

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand/internal/agents"
)

const (
	openAI           = "https://api.openai.com/v1"
	openAIKey        = "OPENAI_API_KEY"
	defaultModelName = "gpt-5-mini"
)

// models reads the section models and what the environment says of the default
// model. ERRAND_MODEL, which is errand's own, overrides the file; OPENAI_BASE_URL
// and OPENAI_API_KEY, which other programs share, fill in what the file leaves out.
func (l *loader) models(root *mapping) {
	defer l.checkTitleModel()
	if why := badURL(l.openAIBase()); l.openAIBase() != "" && why != "" {
		l.faults.add("", 0, "OPENAI_BASE_URL: %s", why)
	}
	root.boolean("check_models", &l.cfg.CheckModels)
	if check := l.env("ERRAND_CHECK_MODELS"); check != "" {
		on, err := strconv.ParseBool(check)
		if err != nil {
			l.faults.add("", 0, "ERRAND_CHECK_MODELS: want true or false, found %q", check)
		}
		l.cfg.CheckModels = on
	}
	section := root.section("models")
	if section != nil {
		for _, key := range section.names {
			l.cfg.Models[key] = l.model(section, key)
		}
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
		l.faults.add("", 0, "ERRAND_MODEL is set, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is")
	}
	l.cfg.Models[agents.DefaultModel] = Model{Providers: []Provider{p}}
}

// checkTitleModel checks that the model which names chats is one of those that are configured.
func (l *loader) checkTitleModel() {
	name := l.cfg.Sessions.TitleModel
	if known := l.modelKeys(); name != "" && !slices.Contains(known, name) {
		l.faults.add(l.cfg.File, l.titleLine, "sessions.title_model: there is no model %q%s", name, didYouMean(name, known))
	}
}

func (l *loader) openAIBase() string { return strings.TrimRight(l.env("OPENAI_BASE_URL"), "/") }

func (l *loader) model(section *mapping, key string) Model {
	where := fmt.Sprintf("model %q: ", key)
	n := section.get(key)
	if n == nil {
		section.doc.faults.add(section.doc.name, section.lineOf(key), "%sname is missing: what the provider calls the model", where)
		return Model{}
	}
	m := newMapping(section.doc, where, "", section.lineOf(key), n)
	if m == nil {
		return Model{}
	}
	var model Model
	p := Provider{BaseURL: cmp.Or(l.openAIBase(), openAI), APIKeyEnv: openAIKey}
	m.text("name", &p.Name)
	if name := l.env("ERRAND_MODEL"); key == agents.DefaultModel && name != "" {
		p.Name = name
	}
	if p.Name == "" {
		m.fault(m.line, "", "name is missing: what the provider calls the model")
	}
	l.endpoint(m, &p)
	providerLimits(m, &p)
	providerWire(m, &p)
	if p.BaseURL == openAI && p.APIKey == "" && p.APIKeyEnv != "" && !l.src.Client && !namesKey(m) {
		m.fault(m.line, "", "there is no key for it: set OPENAI_API_KEY, or give api_key_env or base_url")
	}
	m.boolean("vision", &p.Vision)
	model.Providers = append([]Provider{p}, l.failOver(m, p)...)
	if price := m.section("price"); price != nil {
		price.money("input", &model.Price.Input)
		price.money("output", &model.Price.Output)
		price.moneyIfSet("cached", &model.Price.Cached)
		price.moneyIfSet("write", &model.Price.Write)
		price.done()
	}
	m.number("max_output", &model.MaxOutput, 1, 1<<30)
	m.number("context_tokens", &model.ContextTokens, 1, 1<<30)
	if model.ContextTokens > 0 && model.MaxOutput >= model.ContextTokens {
		m.fault(m.lineOf("max_output"), "max_output", "%d leaves no room in context_tokens, %d", model.MaxOutput, model.ContextTokens)
	}
	m.done()
	return model
}

// failOver reads the list of other providers of a model. None of them is sent
// OPENAI_API_KEY unless it asks for it: they are other people's servers. The model of the
// same name sees there what it does at the first.
func (l *loader) failOver(m *mapping, first Provider) []Provider {
	n := m.get("providers")
	if n == nil {
		return nil
	}
	var list []Provider
	for _, item := range m.items("providers", n) {
		p := Provider{Name: first.Name}
		item.text("name", &p.Name)
		p.Vision = first.Vision && p.Name == first.Name
		item.boolean("vision", &p.Vision)
		l.endpoint(item, &p)
		providerLimits(item, &p)
		providerWire(item, &p)
		if item == nil {
			continue // reported
		}
		if item.get("base_url") == nil {
			item.fault(item.line, "", "base_url is missing")
		}
		item.done()
		list = append(list, p)
	}
	return list
}

func providerLimits(m *mapping, p *Provider) {
	m.number("concurrency", &p.Concurrency, 1, 10_000)
	m.number("max_tools", &p.MaxTools, 1, 10_000)
	m.duration("first_token", &p.FirstToken, time.Second)
	m.duration("idle", &p.Idle, time.Second)
	accepts, lines := m.texts("accepts")
	for i, field := range accepts {
		if !slices.Contains(acceptedFields, field) {
			m.fault(lines[i], "accepts", "%q is none of %s", field, strings.Join(acceptedFields, ", "))
		}
	}
	p.Accepts = accepts
}

// providerWire reads over which wire a provider is spoken to. The address is known.
func providerWire(m *mapping, p *Provider) {
	choice(m, "api", &p.API, APIAuto, APIChat, APIResponses)
	m.boolean("background", &p.Background)
	u, err := url.Parse(p.BaseURL)
	if p.Background && p.API != APIResponses && (p.API == APIChat || err == nil && u.Hostname() != "api.openai.com") {
		m.fault(m.lineOf("background"), "background", "only the Responses API has it: add api: responses if the server knows that")
	}
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// namesKey reports whether a section says where the key of its server is.
func namesKey(m *mapping) bool { return m.get("api_key_env") != nil || m.get("api_key_file") != nil }

// endpoint reads base_url, and api_key_env, where the empty name means no key, or
// api_key_file.
func (l *loader) endpoint(m *mapping, p *Provider) {
	if m.text("base_url", &p.BaseURL) {
		p.BaseURL = strings.TrimRight(strings.TrimSpace(p.BaseURL), "/")
		if why := badURL(p.BaseURL); why != "" {
			m.fault(m.lineOf("base_url"), "base_url", "%s", why)
		}
	}
	asked := m.text("api_key_env", &p.APIKeyEnv)
	var path string
	if m.text("api_key_file", &path) {
		l.keyFile(m, p, path, asked)
		return
	}
	if p.APIKeyEnv == "" {
		return
	}
	if !variableName.MatchString(p.APIKeyEnv) {
		// The value is not repeated: it may be the key.
		m.fault(m.lineOf("api_key_env"), "api_key_env", "want the name of an environment variable; the key itself does not belong in this file")
		return
	}
	p.APIKey = Secret(l.env(p.APIKeyEnv))
	if asked && p.APIKey == "" && !l.src.Client {
		m.fault(m.lineOf("api_key_env"), "api_key_env", "the environment variable %s is not set", p.APIKeyEnv)
	}
}

func (l *loader) keyFile(m *mapping, p *Provider, path string, alsoEnv bool) {
	line := m.lineOf("api_key_file")
	switch {
	case alsoEnv:
		m.fault(line, "api_key_file", "there is api_key_env too: keep one of them")
		return
	case path == "":
		m.fault(line, "api_key_file", "names no file")
		return
	}
	p.APIKey, p.APIKeyEnv = "", l.beside(path)
	if l.src.Client {
		return // the file is the worker's
	}
	secret, why, _ := l.secretFile(path)
	if why != "" {
		m.fault(line, "api_key_file", "%s", why)
	}
	p.APIKey = secret
}

// badURL says what is wrong with the address of a provider, without repeating
// it: it may hold a password.
func badURL(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return "want an address such as https://api.openai.com/v1"
	case u.User != nil:
		return "keys and passwords do not belong in an address: use api_key_env"
	}
	return ""
}
