package discord_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestHistory proves that messages can be read back, around any id.
func TestHistory(t *testing.T) {
	r := newRig(t, free)
	c := r.rest(r.bot.Token)
	var ids []string
	for i := range 10 {
		ids = append(ids, r.Write(r.dm, r.ana, fmt.Sprint(i)))
	}
	r.Delete(r.dm, ids[4])
	tests := []struct {
		limit                 int
		before, after, around string
		want                  string
	}{
		{0, "", "", "", "9876532 10"},
		{3, "", "", "", "987"},
		{3, ids[5], "", "", "321"},
		{3, "", ids[5], "", "876"},
		{100, "", ids[4], "", "98765"},
		{3, "", "0", "", "210"},
		{3, "", "", ids[7], "876"},
		{100, "", ids[9], "", ""},
		{100, ids[0], "", "", ""},
	}
	for _, tt := range tests {
		list, err := c.ChannelMessages(r.dm.ID, tt.limit, tt.before, tt.after, tt.around)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, m := range list {
			got += m.Content
		}
		if want := strings.ReplaceAll(tt.want, " ", ""); got != want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
	if m, err := c.ChannelMessage(r.dm.ID, ids[3]); err != nil || m.Content != "3" {
		t.Errorf("one by its id: %+v, %v", m, err)
	}
}
