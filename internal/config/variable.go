package config

import (
	"fmt"
	"strings"
)

// fileSuffix after the name of a variable makes that of one which names a file.
const fileSuffix = "_FILE"

// Variable returns a variable of the environment, or what is in the file that the
// variable NAME_FILE names: secrets of Docker, Kubernetes and systemd are files. Line
// breaks and spaces around the value, such as files end in, are taken away. The error
// does not repeat the value.
func Variable(getenv func(string) string, name string) (string, error) {
	value, path := strings.TrimSpace(getenv(name)), strings.TrimSpace(getenv(name+fileSuffix))
	switch {
	case path == "":
		return value, nil
	case value != "":
		return "", fmt.Errorf("%s and %s%s are both set: keep one of them", name, name, fileSuffix)
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

// env returns a variable, or what its file holds. A file that cannot be read is a
// fault, once however often the variable is asked for. A client has no use for most
// of them, and may not be able to read them.
func (l *loader) env(name string) string {
	if value, known := l.variables[name]; known {
		return value
	}
	value, err := Variable(l.src.Env, name)
	if err != nil && !l.src.Client {
		l.faults.add("", 0, "%v", err)
	}
	l.variables[name] = value
	return value
}
