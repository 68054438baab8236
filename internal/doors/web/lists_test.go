package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"errand/internal/service"
)

// TestLongestList proves how long the lists of a body are found to be.
func TestLongestList(t *testing.T) {
	for raw, want := range map[string]int{
		``: 0, `{}`: 0, `[1,2,3]`: 0, `{"a":1,"b":2}`: 0, `"`: 0, `{"a":"`: 0, `{"a":"\`: 0, `]]]{"a":[1,2`: 0,
		`{"a":[1,2,3]}`:                       3,
		`{"a":[1,2],"b":[1,2,3,4],"c":[1,2]}`: 4,
		`{"a":[{"x":1,"y":2},{"x":1,"y":2}]}`: 2,
		`{"a":["1,2","[,\",\\",",\\\",]"]}`:   3,
		`{"a":"[1,2,3]"}`:                     0,
		`{"a":[[1,2,3,4],[1,2,3]]}`:           2,
	} {
		if got := longestList([]byte(raw)); got != want {
			t.Errorf("%s: %d, want %d", raw, got, want)
		}
	}
}

// TestManyFiles proves that a message with too many files is refused as a whole, with what
// to do, and that one with a million is before it is read.
func TestManyFiles(t *testing.T) {
	m := &memory{reply: true}
	server := serve(t, m, nil)
	const one = `{"name":"a.txt","data":"YQ=="}`
	for _, test := range []struct {
		name, files string
		status      int
		want        string
	}{
		{"as many as may be", strings.Repeat(one+",", service.MaxMessageFiles-1) + one, 200, "you said hi"},
		{"one more", strings.Repeat(one+",", service.MaxMessageFiles) + one, 413, "A message can have 10 files, and this one has 11"},
		{"a million", strings.Repeat("1,", 1_000_000) + "1", 413, "a list in the request has more than 1000 entries"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, body := request(t, server, http.MethodPost, "/api/sessions/main/messages", fmt.Sprintf(`{"text":"hi","files":[%s]}`, test.files), nil)
			if status != test.status || !strings.Contains(strings.ToLower(body), strings.ToLower(test.want)) || !json.Valid([]byte(body)) {
				t.Errorf("answer is %d, %.500s", status, body)
			}
		})
	}
}

func FuzzLongestList(f *testing.F) {
	f.Add([]byte(`{"a":["\\",1]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			longestList(raw) // whatever it is
			return
		}
		most := 0
		for _, v := range object {
			var list []json.RawMessage
			if json.Unmarshal(v, &list) == nil {
				most = max(most, len(list))
			}
		}
		if got := longestList(raw); most > 1 && got < most {
			t.Errorf("%s: %d, want %d", raw, got, most)
		}
	})
}
