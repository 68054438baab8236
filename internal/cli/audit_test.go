package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"errand/internal/test/clitest"
)

// TestAudit proves what a person sees of who has done what, and what is asked for.
func TestAudit(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/audit", 200, `[{"id":9,"time":"2026-01-02T03:04:05Z","person":"p-1","name":"Ada","via":"k-1","via_name":"script","door":"cli","deed":"people.role","kind":"person","subject":"p-2","whose":"p-2","detail":"guest"},
		{"id":8,"time":"2026-01-02T03:04:05Z","person":"p-1","deed":"tasks.cancel","kind":"task","subject":"t-1","whose":"p-2"},
		{"id":7,"time":"2026-01-02T03:04:05Z","person":"p-1","door":"page","deed":"installation.pause","kind":"installation","subject":""}]`)
	got := f.Errand(t, "audit", "--person", "ada", "--deed", "tokens,people", "--since", "2026-01-01", "--before", "20")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.Regexp(t, `^ID +WHEN +WHO +DOOR +BY +DID +TO\n`+
		`9 .* Ada +cli +k-1 script +people.role \(guest\) +person p-2\n`+
		`8 .* p-1 +- +- +tasks.cancel +task t-1 of p-2\n`+
		`7 .* p-1 +page +- +installation.pause +installation\n$`, got.Out)
	assert.Equal(t, "before=20&deed=tokens%2Cpeople&person=ada&since=2026-01-01T00%3A00%3A00Z", f.Requests[0].Query)
	assert.Equal(t, "errand-cli", f.Requests[0].Header.Get("User-Agent"))
	f = newFake(t)
	f.On("GET /api/audit", 200, `[]`)
	assert.Equal(t, clitest.Result{Out: "Nobody did anything like that.\n"}, f.Errand(t, "audit"))
	assert.Equal(t, 2, f.Errand(t, "audit", "--limit", "-1").Code)
}
