package core

import (
	"slices"
	"testing"
)

// TestAgentNames proves that agents are found in lists as people write them.
func TestAgentNames(t *testing.T) {
	for _, tt := range []struct {
		lists []string
		want  []AgentName
	}{
		{nil, nil},
		{[]string{"", " , "}, nil},
		{[]string{"sasha"}, []AgentName{"sasha"}},
		{[]string{" @Finn , sasha,,PRIEST", "vera"}, []AgentName{"finn", "sasha", "priest", "vera"}},
	} {
		if got := AgentNames(tt.lists...); !slices.Equal(got, tt.want) {
			t.Errorf("%q names %q, want %q", tt.lists, got, tt.want)
		}
	}
}
