package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxWireName is how long the name of a tool may be for a model:
// https://platform.openai.com/docs/api-reference/chat/create, tools.
const maxWireName = 64

// WireName is what a model knows a tool by. Providers take letters, digits, "_" and
// "-" only, so the dot of "github.create_issue" is two underscores there. A name that
// would be another's then, or too long, ends with a part of its hash. [Set.Tool] knows
// a tool by either name.
func WireName(name string) string {
	server, tool, dotted := strings.Cut(name, ".")
	wire, same := plain(server), true
	if dotted {
		wire += "__" + plain(tool)
		same = strings.Index(wire, "__") == len(server) && strings.LastIndex(wire, "__") == len(server)
	}
	same = same && plain(server) == server && plain(tool) == tool
	if same && len(wire) <= maxWireName {
		return wire
	}
	sum := sha256.Sum256([]byte(name))
	mark := "_" + hex.EncodeToString(sum[:4])
	return wire[:min(len(wire), maxWireName-len(mark))] + mark
}

// plain has an underscore for each byte of s that a provider would not take.
func plain(s string) string {
	b := []byte(s)
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			b[i] = '_'
		}
	}
	return string(b)
}
