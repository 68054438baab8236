package core_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"errand/internal/core"
)

func typedCall(c core.TeamCall) string {
	var list []string
	for _, t := range c.Targets {
		switch {
		case t.BadCount != "":
			list = append(list, t.Name+"!"+t.BadCount)
		case t.Auto:
			list = append(list, t.Name+":auto")
		case t.Last == 0: // as many as are configured
			list = append(list, t.Name+":5")
		default:
			list = append(list, fmt.Sprintf("%s:%d", t.Name, t.Last))
		}
	}
	return strings.Join(list, " ")
}

// TestParseTeamCall proves which agents, how much of the conversation and which task people
// mean, however they write it.
func TestParseTeamCall(t *testing.T) {
	tests := []struct {
		text                  string
		before, targets, task string
	}{
		{"/team @finn implement this", "", "finn:5", "implement this"},
		{"/team @finn @priest review this design", "", "finn:5 priest:5", "review this design"},
		{"/team @finn:10 implement this", "", "finn:10", "implement this"},
		{"/team @finn:1 @priest:20 this", "", "finn:1 priest:20", "this"},
		{"/team @finn:auto this", "", "finn:auto", "this"},
		{"/TEAM @Finn:AUTO, @PRIEST: this", "", "finn:auto priest:5", "this"},
		{"/team: @finn, @priest, do this", "", "finn:5 priest:5", "do this"},
		{"/team @finn,@priest do this", "", "finn:5 priest:5", "do this"},
		{"/team, @finn - do this", "", "finn:5", "do this"},
		{"/team@finn do this", "", "finn:5", "do this"},
		{"/team. @finn! do this.", "", "finn:5", "do this."},
		{"/team @finn @finn @FINN this", "", "finn:5", "this"},
		{"/team @finn @finn:10 this", "", "finn:10", "this"},
		{"/team @finn:10 @finn this", "", "finn:10", "this"},
		// At least 1 and at most 20.
		{"/team @finn:0 this", "", "finn!0", "this"},
		{"/team @finn:50 this", "", "finn:20", "this"},
		{"/team @finn:999 this", "", "finn:20", "this"},
		{"/team @finn:abc this", "", "finn!abc", "this"},
		{"/team @finn:-1 this", "", "finn!-1", "this"},
		{"/team @finn:99999999999999999999 this", "", "finn:20", "this"},
		{"/team @finn:10:20 this", "", "finn!10:20", "this"},
		{"/team @finn: this", "", "finn:5", "this"},
		// Only mentions directly behind it are targets.
		{"/team @finn ask @priest about it", "", "finn:5", "ask @priest about it"},
		{"/team ask @priest about it", "", "", "ask @priest about it"},
		{"/team", "", "", ""},
		{"/team @finn", "", "finn:5", ""},
		{"/team @ finn", "", "", "@ finn"},
		{"/team @! what", "", "", "@! what"},
		{"/team\n@finn\ndo this\n\n```go\n/team @priest\n```", "", "finn:5", "do this\n\n```go\n/team @priest\n```"},
		// Behind other words.
		{"We need OAuth. /team @finn implement this", "We need OAuth.", "finn:5", "implement this"},
		{"Really?! /team @finn this", "Really?!", "finn:5", "this"},
		{"(We need OAuth.) /team @finn this", "(We need OAuth.)", "finn:5", "this"},
		{"**We need OAuth.** /team @finn this", "**We need OAuth.**", "finn:5", "this"},
		{"わかった。 /team @finn this", "わかった。", "finn:5", "this"},
		{"We need OAuth\n  /team @finn this", "We need OAuth", "finn:5", "this"},
		{"Run `make`. /team @finn this", "Run `make`.", "finn:5", "this"},
		{"A ` alone. /team @finn this", "A ` alone.", "finn:5", "this"},
		{"```\ncode\n```\n/team @finn this", "```\ncode\n```", "finn:5", "this"},
		{"```\ncode```\n/team @finn this", "```\ncode```", "finn:5", "this"},
		{"> quoted\n/team @finn this", "> quoted", "finn:5", "this"},
		{"/team @finn a. /team @priest b", "", "finn:5", "a. /team @priest b"},
		{"One. /team @finn a. /team @priest b", "One.", "finn:5", "a. /team @priest b"},
	}
	for _, test := range tests {
		c, ok := core.ParseTeamCall(test.text)
		if !ok || c.Before != test.before || typedCall(c) != test.targets || c.Task != test.task {
			t.Errorf("%q: %v, before %q, to %q, task %q", test.text, ok, c.Before, typedCall(c), c.Task)
		}
	}
	var many strings.Builder
	for i := range 50 {
		fmt.Fprintf(&many, " @a%d", i)
	}
	if c, _ := core.ParseTeamCall("/team" + many.String() + " this"); len(c.Targets) != 50 || c.Task != "this" {
		t.Errorf("of 50 there are %d, and the task is %q", len(c.Targets), c.Task)
	}
}

// TestNoTeamCall proves that what is no call of the person's own stays a message.
func TestNoTeamCall(t *testing.T) {
	for _, text := range []string{
		"", "team", "the /team @finn thing", "see docs/team @finn", "/teams @finn this", "//team @finn this", "/team/finn this", "It is there:/team @finn",
		"`/team @finn this`", "Write this. `/team @finn this`", "``a ` /team @finn``", "Write `this.\n/team @finn this` please",
		"```\n/team @finn this\n```", "~~~\n/team @finn this\n~~~", "```go\n/team @finn this", "````\n```x\n/team @finn this\n````",
		"> /team @finn this", "  > One. /team @finn this", ">>> a\n/team @finn this",
	} {
		if c, ok := core.ParseTeamCall(text); ok {
			t.Errorf("%q is a call: %+v", text, c)
		}
	}
}

func FuzzTeamCall(f *testing.F) {
	for _, text := range []string{
		"We need OAuth. /team @finn:10, @priest:auto implement this", "```\n/team @finn\n```\n/team @finn: x", "> a\n`b` c. /TEAM@Finn:0 d", ">>>/team @a", "/team @\xff:1 x",
		"İ. /team @finn x",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := core.ParseTeamCall(text)
		if ok != core.HasTeamCall(text) {
			t.Fatal("it is there and is not")
		}
		if !ok {
			return
		}
		if !strings.HasPrefix(strings.TrimSpace(text), c.Before) || !strings.HasSuffix(strings.TrimSpace(text), c.Task) {
			t.Errorf("%q is not what was written: %+v", text, c)
		}
		seen := map[string]bool{}
		for _, g := range c.Targets {
			counts := 0
			for _, is := range []bool{g.Auto, g.BadCount != "", g.Last > 0} {
				if is {
					counts++
				}
			}
			if seen[g.Name] || g.Name == "" || g.Last > core.MaxTeamMessages || g.Last < 0 || counts > 1 || utf8.ValidString(text) && !strings.Contains(text, g.Typed) {
				t.Errorf("%q: %+v", text, c)
			}
			seen[g.Name] = true
		}
		// The same again, alone: the same call.
		if again, ok := core.ParseTeamCall(strings.TrimSpace(text)[len(c.Before):]); c.Before == "" && (!ok || again.Task != c.Task || len(again.Targets) != len(c.Targets)) {
			t.Errorf("%q: %+v, and then %+v", text, c, again)
		}
	})
}
