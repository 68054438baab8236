package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"errand/internal/texts"
)

// A NewFile is the content of a first errand.yaml: one model for all agents, and the language.
type NewFile struct {
	Model    string // the provider's name of the model
	BaseURL  string
	KeyFile  string // next to errand.yaml; empty: the provider needs no key
	Language string

	// What errand does not know by itself; zero: nothing.
	Vision        *bool
	ContextTokens int
	Price         *Price
}

// ownAgents is an example that people uncomment.
const ownAgents = `
# Agents of your own, in place of nikki, sasha, finn and priest: remove the "# " from these
# lines and change them. docs/errand.example.yaml has all keys, errand config check checks the file.
# agents:
#   nikki:
#     instructions: You are Nikki, the agent people talk to first. Ask chef about food.
#     delegates: [chef]
#   chef:
#     instructions: You are the chef. You suggest quick meals for what people have at home.
#     voice: cheerful and brief
# primary: nikki
`

// Languages returns the tags of the languages that errand has its own texts for.
func Languages() ([]string, error) {
	shipped, err := texts.New(nil)
	if err != nil {
		return nil, err
	}
	var tags []string
	for _, l := range shipped.Languages() {
		tags = append(tags, l.Tag)
	}
	return tags, nil
}

// BadAddress says what is wrong with a provider's address, without repeating it; empty: nothing.
func BadAddress(s string) string { return badURL(s) }

// Text returns the content of the file.
func (n NewFile) Text() string {
	key := "api_key_file: " + plain(n.KeyFile)
	if n.KeyFile == "" {
		key = `api_key_env: "" # it needs no key`
	}
	var b strings.Builder
	b.WriteString(newFile)
	fmt.Fprintf(&b, "language: %s\nmodels:\n  default:\n    name: %s\n    base_url: %s\n    %s\n", plain(n.Language), plain(n.Model), plain(n.BaseURL), key)
	if n.Vision != nil {
		fmt.Fprintf(&b, "    vision: %t # it was tried with a picture\n", *n.Vision)
	}
	if n.ContextTokens > 0 {
		fmt.Fprintf(&b, "    context_tokens: %d\n", n.ContextTokens)
	}
	if p := n.Price; p != nil {
		fmt.Fprintf(&b, "    price: {input: %s, output: %s", decimal(p.Input), decimal(p.Output))
		if p.Cached != nil {
			fmt.Fprintf(&b, ", cached: %s", decimal(*p.Cached))
		}
		b.WriteString("} # US dollars per million tokens, as its provider lists them\n")
	}
	b.WriteString(ownAgents)
	return b.String()
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Write creates the errand.yaml at path. If the file exists, or errand would refuse the
// new one, it returns an error and writes nothing. The key file must already exist.
func (n NewFile) Write(path string, env func(string) string) error {
	return replace(path, []byte(n.Text()), 0o644, func(name string) error {
		if _, err := Load(Sources{File: name, Env: env}); err != nil {
			return fmt.Errorf("%s was not written, because errand would refuse it: %w", path, err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s already exists and was not changed", path)
		}
		return nil
	})
}
