package mcpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// longestName is of "github.create_issue": models take names of at most 64 characters.
const longestName = 60

// toolName makes the name under which agents know a tool: the server's, a dot, and what
// the server calls it, in letters that every model takes. taken tells which names are
// another tool's already: the later one gets a piece of a hash, so that it keeps its
// name whatever else the server lists.
func toolName(server, tool string, taken func(string) bool) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, tool)
	name := server + "." + clean
	if clean != "" && len(name) <= longestName && !taken(name) {
		return name
	}
	sum := sha256.Sum256([]byte(tool))
	tail := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), longestName-len(tail))] + tail
}

// allowed reports whether the operator lets a tool be used.
func (s Server) allowed(tool string) bool {
	if len(s.Tools) == 0 {
		return true
	}
	for _, pattern := range s.Tools {
		if prefix, any := strings.CutSuffix(pattern, "*"); any && strings.HasPrefix(tool, prefix) || pattern == tool {
			return true
		}
	}
	return false
}
