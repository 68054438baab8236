package whatsapp_test

import (
	"slices"
	"testing"

	"errand/internal/intake"
	"errand/internal/service"
)

// TestMentions proves that whom a message mentions is handed on with its words, and that
// an account says by which numbers it is mentioned.
func TestMentions(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	ben := r.person("Ben", "+491719999999")
	group := r.server.AddGroup("Team", r.account.Person, r.ana, ben)
	c := r.connect()
	us, other := r.account.LID().User, ben.LID().User
	if _, err := r.ana.Mention(t.Context(), group.JID, "@"+us+" /team @"+other+" do this", r.account.Person, ben); err != nil {
		t.Fatal(err)
	}
	in := r.accepted(1)[0]
	if in.Text != "/team @"+other+" do this" || !slices.Equal(in.Mentions, []intake.Mention{{ID: us, Text: "@" + us}, {ID: other, Text: "@" + other}}) {
		t.Errorf("came %+v", in)
	}
	if handles := c.Status().Handles; !slices.Equal(handles, []string{r.account.JID().User, us}) {
		t.Errorf("it is mentioned by %q", handles)
	}
}
