package core

import (
	"regexp"
	"strings"
)

// A ToolUse is a tool that a turn called, with the number of calls.
type ToolUse struct {
	Tool    string   `json:"tool"`
	About   string   `json:"about,omitempty" description:"what its first call was about: the words of a search, an address, a path"`
	Calls   int      `json:"calls"`
	Sources []Source `json:"sources,omitempty" description:"the web pages that the tool read, and those that it found and the answer names. If the turn has neither, all pages that the tool found"`
}

// A Source is a web page that a tool read or found. Its title is untrusted text.
type Source struct {
	Title   string `json:"title"`
	Address string `json:"address" description:"http or https"`
}

var (
	readPage  = regexp.MustCompile(`(?m)^Title: (.*)\nAddress: (https?://\S+)$`)
	foundPage = regexp.MustCompile(`(?m)^\d+\. (.*)\n   (https?://\S+)$`)
)

// Sources returns the page that a web_fetch result contains, or the pages that a web_search result
// lists.
func Sources(tool, result string) (list []Source) {
	pattern, n := foundPage, -1
	switch tool {
	case "web_fetch":
		pattern, n = readPage, 1 // what follows is the page's own text
	case "web_search":
	default:
		return nil
	}
	for _, m := range pattern.FindAllStringSubmatch(result, n) {
		list = append(list, Source{Title: strings.TrimSpace(m[1]), Address: m[2]})
	}
	return list
}
