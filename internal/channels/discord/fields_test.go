package discord

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// TestNoFieldLosesMessage proves that whatever a field of a message is, of those that do
// not say whose it is and where, its words are read.
func TestNoFieldLosesMessage(t *testing.T) {
	r, _, _ := runFor(t, Options{})
	fields := []string{"field_of_tomorrow", "components"} // the library reads components by itself
	for _, f := range reflect.VisibleFields(reflect.TypeFor[discordgo.Message]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "content" && name != "-" && !slices.Contains(needed, name) {
			fields = append(fields, name)
		}
	}
	for _, field := range fields {
		for _, value := range []string{`7`, `"x"`, `true`, `null`, `[]`, `{}`, `[7]`, `[{}]`, `{"type": 99}`, `[{"type": 99}]`, `{"id": 7}`, `[{"id": 7}]`} {
			m, err := r.read(json.RawMessage(`{"id": "5", "channel_id": "7", "author": {"id": "2"}, "content": "hi", "` + field + `": ` + value + `}`))
			if err != nil || m.Content != "hi" || m.Author == nil {
				t.Errorf("%s %s loses the message: %v", field, value, err)
			}
		}
	}
}
