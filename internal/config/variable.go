package config

import (
	"fmt"
	"strings"
)

const fileSuffix = "_FILE"

// Variable returns an environment variable, or the contents of the file that NAME_FILE
// names, because Docker, Kubernetes and systemd pass secrets as files. It trims white
// space around the value. The error does not repeat the value.
func Variable(getenv func(string) string, name string) (string, error) {
	value, path := strings.TrimSpace(getenv(name)), strings.TrimSpace(getenv(name+fileSuffix))
	switch {
	case path == "":
		return value, nil
	case value != "":
		return "", fmt.Errorf("%s and %s%s are both set: keep only one of them", name, name, fileSuffix)
	}
	text, err := readFile(path)
	if err != nil {
		return "", fmt.Errorf("%s%s: %s: %w", name, fileSuffix, path, err)
	}
	if value = strings.TrimSpace(string(text)); value == "" {
		return "", fmt.Errorf("%s%s: %s is empty", name, fileSuffix, path)
	}
	return value, nil
}

// env returns a variable. It reports an unreadable file only once. A client ignores such
// errors: it needs few variables, and may not be allowed to read their files.
func (d *document) env(name string) string {
	if value, known := d.variables[name]; known {
		return value
	}
	value, err := Variable(d.src.Env, name)
	if err != nil && !d.src.Client {
		d.faults.add("", 0, "%v", err)
	}
	d.variables[name] = value
	return value
}
