package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheShellIsOfferedIDs(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/people", 200, everybody)
	f.On("GET /api/tasks", 200, "["+taskJSON("t-22222222", "working", "")+"]")
	f.On("GET /api/sessions", 200, "["+sessionJSON+"]")
	f.On("GET /api/agents", 200, `[{"name":"finn\u001b","description":"engineering\u001b[2J, and whatever else takes a very long time to tell"}]`)
	f.On("GET /api/memory", 200, `[{"agent":"nikki","key":"home","value":"Oslo"},{"agent":"nikki","key":"work","value":"Rome"}]`)
	f.On("GET /api/pairings", 200, `{"error":{"code":"forbidden","message":"no"}}`)
	for _, tt := range []struct {
		args string
		want []string
	}{
		{"users show", []string{"owner\towner, Admin", "p-2222aaaa\tAnn, Member", "p-2222bbbb\tBo, Guest"}},
		{"users role ann", []string{"guest", "member", "partner", "admin"}},
		{"users revoke", []string{"k-1\tAnn, laptop", "k-2\tAnn, login", "k-4\tAnn, link"}},
		{"users approve", nil},
		{"tasks show", []string{"t-22222222\tworking, compare trains"}},
		{"tasks show t-22222222", nil},
		{"sessions delete", []string{sessionID + "\tweb main, Nikki, suspended"}},
		{"delegate", []string{"finn␛\tengineering␛[2J, and whatever else takes a very long time t…"}},
		{"chat --agent", []string{"finn␛\tengineering␛[2J, and whatever else takes a very long time t…"}},
		{"memory show", []string{"nikki"}},
		{"memory show nikki", []string{"home\tOslo", "work\tRome"}},
	} {
		got := f.Errand(t, append(append([]string{"__complete"}, strings.Fields(tt.args)...), "")...)
		assert.Equal(t, 0, got.Code, got.Err)
		lines := strings.Split(strings.TrimSpace(got.Out), "\n")
		assert.Equal(t, append(tt.want, ":4"), lines, tt.args) // 4: no names of files
	}
	f.Close()
	assert.Equal(t, ":4\n", f.Errand(t, "__complete", "users", "show", "").Out, "a shell is not the place for errors")
}
