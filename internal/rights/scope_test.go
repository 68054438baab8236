package rights

import (
	"slices"
	"testing"
)

// TestScopes proves what each scope is for, and what none is.
func TestScopes(t *testing.T) {
	for _, test := range []struct {
		scope    Scope
		may, not []string
	}{
		{"", []string{SelfRead, TasksDelegate, PeopleChange, ApprovalsAnswer}, nil},
		{ScopeRead, []string{SelfRead, SessionsRead, TasksRead, MetricsRead, ""}, []string{MessagesSend, TasksDelegate, SelfChange, LinksMake, OthersRead, PeopleRead, FilesChange, QuestionsAnswer}},
		{ScopeChat, []string{MessagesSend, SessionsReset, QuestionsAnswer}, []string{TasksDelegate, TasksRead, SelfChange, LinksMake, OthersRead, SessionsDelete}},
		{ScopeDelegate, []string{TasksDelegate, TasksCancel, TasksRead}, []string{MessagesSend, SessionsRead, SelfChange, OthersChange}},
		{"read delegate", []string{TasksDelegate, SessionsRead}, []string{MessagesSend}},
		{ScopeAdmin, []string{SelfChange, OthersChange, PeopleChange, TokensMake}, []string{ApprovalsAnswer}},
		{"a scope that is gone", nil, []string{SelfRead, TasksRead}},
	} {
		for _, c := range test.may {
			if !test.scope.Covers(c) {
				t.Errorf("%q has not %q", test.scope, c)
			}
		}
		for _, c := range test.not {
			if test.scope.Covers(c) {
				t.Errorf("%q has %q", test.scope, c)
			}
		}
	}
	for name, list := range inScope {
		for _, c := range list {
			if !slices.ContainsFunc(capabilities(), func(r Rule) bool { return r.Name == c }) {
				t.Errorf("scope %s: there is no capability %q", name, c)
			}
		}
	}
}

func TestScopeIncludes(t *testing.T) {
	for _, test := range []struct {
		scope, other Scope
		want         bool
	}{
		{"", "", true}, {"", ScopeAdmin, true}, {ScopeAdmin, "", false}, {ScopeAdmin, "read chat", true},
		{ScopeRead, ScopeRead, true}, {ScopeRead, ScopeChat, false}, {"read delegate", ScopeRead, true}, {ScopeDelegate, ScopeAdmin, false},
	} {
		if got := test.scope.Includes(test.other); got != test.want {
			t.Errorf("%q includes %q: %v", test.scope, test.other, got)
		}
	}
}

func FuzzParseScope(f *testing.F) {
	for _, s := range []string{"", "read", "Delegate, read", "read read", "all", "chat,,admin ", "\x00", " ", ", ,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		scope, err := ParseScope(s)
		if err != nil {
			return
		}
		if again, err := ParseScope(string(scope)); err != nil || again != scope {
			t.Fatalf("%q is %q, and that is %q, %v", s, scope, again, err)
		}
		if scope == "" && s != "" {
			t.Fatalf("%q narrows nothing", s)
		}
	})
}
