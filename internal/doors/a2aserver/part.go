package a2aserver

import (
	"encoding/json"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// textOf refuses files: a task starts before its agents could have them.
func textOf(p *a2a.Part) (string, error) {
	if p == nil {
		return "", invalid("a part of the message is null")
	}
	switch content := p.Content.(type) {
	case a2a.Text:
		return string(content), nil
	case a2a.Data:
		raw, err := json.Marshal(content.Value) // not indented: indentation would multiply the size of a deep value
		if err != nil {
			return "", invalid("a part of the message is not JSON")
		}
		return string(raw), nil
	case a2a.URL:
		return string(content), nil
	}
	return "", a2a.NewError(a2a.ErrUnsupportedContentType, "over A2A errand accepts text, data and addresses of files, but no files")
}

func questionOf(p *a2a.Part) (id string, ok bool) {
	data, _ := p.Data().(map[string]any)
	if len(data) != 1 {
		return "", false
	}
	id, ok = data["questionId"].(string)
	return id, ok
}
