package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxWireName is OpenAI's limit:
// https://platform.openai.com/docs/api-reference/chat/create, tools.
const maxWireName = 64

// WireName returns the name of a tool for models. Providers accept only letters, digits, "_"
// and "-", so the dot of "github.create_issue" becomes two underscores. A name that could
// equal another's, or is too long, ends with part of its hash. [Set.Tool] accepts both names.
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

// plain replaces each byte that providers do not accept with an underscore.
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
