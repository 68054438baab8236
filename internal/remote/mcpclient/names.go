package mcpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// longestName is less than the 64 characters that models accept.
const longestName = 60

// toolName joins the names of the server and the tool, in characters that every model
// accepts. A name that is taken gets a hash instead of a number, so that it does not
// depend on the other tools of the server.
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
