package errand

import "strings"

// A pattern names tools: "github.*" is every tool of the MCP server "github", "*"
// every tool there is. A star stands for any characters, none and a dot included.

// IsPattern reports whether name is a pattern and not a name.
func IsPattern(name string) bool { return strings.Contains(name, "*") }

// Matches reports whether pattern is name, or stands for it.
func Matches(pattern, name string) bool {
	head, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return pattern == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], after
	}
}
