package llm

import "errors"

// DefaultModelName is the provider's name of the model where none is given.
const DefaultModelName = "gpt-5-mini"

// openAIBaseURL is where a key without a base URL belongs.
const openAIBaseURL = "https://api.openai.com/v1"

// ModelsFromEnv returns the model "default" as the environment describes it:
// OPENAI_BASE_URL (default: OpenAI's), OPENAI_API_KEY (needed for OpenAI's own)
// and ERRAND_MODEL (default: DefaultModelName). With none of them set it is the
// demonstration model, and demo is true. getenv is os.Getenv, or a test's.
func ModelsFromEnv(getenv func(string) string) (models map[string]Model, demo bool, err error) {
	base, key, name := getenv("OPENAI_BASE_URL"), getenv("OPENAI_API_KEY"), getenv("ERRAND_MODEL")
	if base == "" && key == "" && name == "" {
		return map[string]Model{"default": DemoModel(DemoOptions{})}, true, nil
	}
	if base == "" {
		if key == "" {
			return nil, false, errors.New("ERRAND_MODEL is set, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is")
		}
		base = openAIBaseURL
	}
	if name == "" {
		name = DefaultModelName
	}
	return map[string]Model{"default": {Providers: []Provider{{BaseURL: base, APIKey: key, Model: name}}}}, false, nil
}
