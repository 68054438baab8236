package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"errand/internal/texts"
)

// A NewFile is a first errand.yaml: one model for all agents, and the language.
type NewFile struct {
	Model    string // what its provider calls it
	BaseURL  string
	KeyFile  string // beside errand.yaml; empty: the provider takes no key
	Language string
}

// Languages are the tags of those that errand speaks without texts of errand.yaml.
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

// BadAddress says what is wrong with the address of a provider, without repeating
// it; empty: nothing.
func BadAddress(s string) string { return badURL(s) }

// Text is what the file says.
func (n NewFile) Text() string {
	key := "api_key_file: " + plain(n.KeyFile)
	if n.KeyFile == "" {
		key = `api_key_env: "" # it takes no key`
	}
	var b strings.Builder
	b.WriteString(newFile)
	fmt.Fprintf(&b, "language: %s\nmodels:\n  default:\n    name: %s\n    base_url: %s\n    %s\n", plain(n.Language), plain(n.Model), plain(n.BaseURL), key)
	return b.String()
}

// Write makes the errand.yaml at path. It fails, and leaves nothing, if there is one or
// errand would refuse this one; the file of the key is there already.
func (n NewFile) Write(path string, env func(string) string) error {
	return replace(path, []byte(n.Text()), 0o644, func(name string) error {
		if _, err := Load(Sources{File: name, Env: env}); err != nil {
			return fmt.Errorf("%s was not written; errand would refuse it: %w", path, err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there already, and stays as it is", path)
		}
		return nil
	})
}
