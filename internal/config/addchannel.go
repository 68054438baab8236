package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A NewChannel is an account to add to errand.yaml. Empty fields are omitted. It holds the
// place of a token, never the token itself.
type NewChannel struct {
	Kind, Account       string
	TokenEnv, TokenFile string
	Agent               string
	URL                 string
}

// Entry returns the account as a line of errand.yaml.
func (c NewChannel) Entry() string {
	parts := []string{"account: " + plain(c.Account)}
	for _, f := range [][2]string{{"token_env", c.TokenEnv}, {"token_file", c.TokenFile}, {"agent", c.Agent}, {"url", c.URL}} {
		if f[1] != "" {
			parts = append(parts, f[0]+": "+plain(f[1]))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (c NewChannel) fields() map[string]any {
	m := map[string]any{"account": c.Account}
	for key, value := range map[string]string{"token_env": c.TokenEnv, "token_file": c.TokenFile, "agent": c.Agent, "url": c.URL} {
		if value != "" {
			m[key] = value
		}
	}
	return m
}

// plain quotes a string if YAML would read it as something else.
func plain(s string) string {
	var read any
	if !strings.ContainsAny(s, ",[]{}#:'\"\\& *!|>%@`\n") && yaml.Unmarshal([]byte(s), &read) == nil && read == s {
		return s
	}
	quoted, _ := json.Marshal(s) // a JSON string is a YAML string
	return string(quoted)
}

const newFile = "# Keys that are not set here have defaults.\n"

// AddChannel adds an account to the errand.yaml at path, or creates the file. All other
// text stays the same. If the file has errors, or would not load with this account as the
// only change, it returns an error and changes nothing.
func AddChannel(path string, c NewChannel, env func(string) string) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to // replace the file, not the link
	}
	text, err := readFile(path)
	mode := fs.FileMode(0o644)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = []byte(newFile)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	default:
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
		if _, err := Load(Sources{File: path, Env: env, Client: true}); err != nil {
			return err
		}
	}
	text, err = withChannel(text, c)
	if err != nil {
		return fmt.Errorf("%s was not changed: %w. Add this yourself, under channels, %s:\n  - %s", path, err, c.Kind, c.Entry())
	}
	return replace(path, text, mode, func(name string) error {
		// The copy is in the same folder, because the file may name others relative to it.
		_, err := Load(Sources{File: name, Env: env, Client: true})
		if err != nil {
			return fmt.Errorf("%s was not changed, because errand would refuse it with this account: %w", path, err)
		}
		return nil
	})
}

// replace writes a file atomically, if check accepts it.
func replace(path string, text []byte, mode fs.FileMode, check func(name string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".errand-*.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := check(f.Name()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func withChannel(text []byte, c NewChannel) ([]byte, error) {
	before, err := meaning(text)
	if err != nil {
		return nil, err
	}
	added, err := insertChannel(string(text), c)
	if err != nil {
		return nil, err
	}
	after, err := meaning([]byte(added))
	if err != nil || !reflect.DeepEqual(after, withEntry(before, c)) {
		return nil, errors.New("errand cannot edit it safely")
	}
	return []byte(added), nil
}

func meaning(text []byte) (map[string]any, error) {
	doc, err := decode(text)
	if errors.Is(err, io.EOF) {
		return map[string]any{}, nil
	}
	if err != nil {
		return nil, err
	}
	if n := anchored(doc); n != nil {
		return nil, errors.New("it has anchors or aliases")
	}
	values := map[string]any{}
	if err := doc.Decode(&values); err != nil {
		return nil, errors.New("it has no settings in the form \"key: value\"")
	}
	if values == nil {
		values = map[string]any{}
	}
	return values, nil
}

func withEntry(values map[string]any, c NewChannel) map[string]any {
	channels, _ := values["channels"].(map[string]any)
	if channels == nil {
		channels = map[string]any{}
	}
	list, _ := channels[c.Kind].([]any)
	channels[c.Kind] = append(list, any(c.fields()))
	values["channels"] = channels
	return values
}
