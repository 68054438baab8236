package openaiwire

import (
	"encoding/base64"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/core"
	"errand/internal/service"
)

type message struct {
	Type    string          `json:"type"` // of an item; empty: a message
	ID      string          `json:"id"`   // of an item
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`

	// Calls and their outputs. One API has them in messages, the other as items.
	ToolCalls []struct {
		ID       string       `json:"id"`
		Function calledByName `json:"function"`
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
	CallID     string `json:"call_id"`
	calledByName
	Output json.RawMessage `json:"output"`
}

type calledByName struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"`
	File     *struct {
		Name string `json:"filename"`
		Data string `json:"file_data"`
	} `json:"file"`
	FileName string `json:"filename"`
	FileData string `json:"file_data"`
}

// read returns the last message, or the outputs of tool calls, as the input of the turn.
func read(messages []message, param string) (turnInput, error) {
	var out turnInput
	names := map[string]string{} // of the calls in the request, by id
	for i, m := range messages {
		at, last := param+"["+strconv.Itoa(i)+"]", i == len(messages)-1
		switch {
		case m.Type == "reasoning" && !last:
		case m.Type == "item_reference" && !last:
			out.past(names)
			out.after = m.ID // errand has the conversation that the item belongs to
		case m.Type == "function_call" && !last:
			out.past(names)
			out.call(names, m.CallID, m.calledByName)
		case m.Type == "function_call_output":
			if err := out.came(m.CallID, message{Content: m.Output}, at); err != nil {
				return out, err
			}
		case m.Type != "" && m.Type != "message":
			return out, invalid(at, "items of type "+strconv.Quote(core.Cut(m.Type, 40))+" are not supported here")
		case m.Role == "tool":
			if err := out.came(m.ToolCallID, m, at); err != nil {
				return out, err
			}
		case last && m.Role != "user":
			return out, invalid(at, "the last message must be from the user")
		default:
			text, files, err := m.content(at)
			if err != nil {
				return out, err
			}
			if last {
				out.text, out.files = text, files
				break
			}
			if m.Role == "assistant" {
				out.past(names)
			}
			if text != "" { // files of earlier messages are ignored
				out.before = append(out.before, line{m.Role, text})
			}
			for _, c := range m.ToolCalls {
				out.call(names, c.ID, c.Function)
			}
		}
	}
	if out.unknown != "" && out.after == "" {
		return out, unknownCall(out.unknown)
	}
	out.known = names
	switch {
	case len(out.outputs) > 0:
	case strings.TrimSpace(out.text) == "" && len(out.files) == 0:
		return out, invalid(param, "there is no message")
	}
	if len(out.files) > service.MaxMessageFiles {
		return out, invalid(param, "more than "+strconv.Itoa(service.MaxMessageFiles)+" files are attached to the message")
	}
	return out, nil
}

func (s *turnInput) call(names map[string]string, id string, c calledByName) {
	names[id] = c.Name
	s.before = append(s.before, line{"assistant", "(calls " + c.Name + " with " + c.Arguments + ", as " + id + ")"})
}

// came adds the output of a call. A later message of the assistant makes it part of the history.
func (s *turnInput) came(id string, m message, at string) error {
	text, files, err := m.content(at)
	switch {
	case err != nil:
		return err
	case id == "":
		return invalid(at, "the id of the call is missing")
	case len(files) > 0:
		return invalid(at, "the output of a call must be text")
	case len(text) > mostOutput:
		return invalid(at, "the output is longer than "+strconv.Itoa(mostOutput>>10)+" kB")
	case slices.ContainsFunc(s.outputs, func(o core.ClientOutput) bool { return o.Call == id }):
		return invalid(at, "the call "+strconv.Quote(core.Cut(id, 80))+" already has its output")
	}
	if s.size += len(text); s.size > mostOutputs {
		return invalid(at, "the outputs are longer than "+strconv.Itoa(mostOutputs>>10)+" kB")
	}
	s.outputs = append(s.outputs, core.ClientOutput{Call: id, Text: text})
	return nil
}

func (s *turnInput) past(names map[string]string) {
	for _, o := range s.outputs {
		if _, ok := names[o.Call]; !ok && s.unknown == "" {
			s.unknown = o.Call
		}
		s.before = append(s.before, line{"tool", "(" + names[o.Call] + ", " + o.Call + ") " + o.Text})
	}
	s.outputs, s.size = nil, 0
}

func unknownCall(id string) error {
	return &wireError{http.StatusBadRequest, "invalid_request_error", "unknown_call", "", "no call " + strconv.Quote(core.Cut(id, 80)) + " waits for an output"}
}

func (m message) content(at string) (text string, files []api.SentFile, err error) {
	if len(m.Content) == 0 || string(m.Content) == "null" {
		return "", nil, nil
	}
	if json.Unmarshal(m.Content, &text) == nil {
		return text, nil, nil
	}
	var parts []part
	if err := json.Unmarshal(m.Content, &parts); err != nil {
		return "", nil, invalid(at, "the content is neither a text nor a list of parts")
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text", "input_text", "output_text":
			texts = append(texts, p.Text)
		case "refusal":
			texts = append(texts, p.Refusal)
		case "image_url", "input_image":
			f, err := dataFile(p.address(), "", at)
			if err != nil {
				return "", nil, err
			}
			files = append(files, f)
		case "file", "input_file":
			name, data := p.FileName, p.FileData
			if p.File != nil {
				name, data = p.File.Name, p.File.Data
			}
			f, err := dataFile(data, name, at)
			if err != nil {
				return "", nil, err
			}
			files = append(files, f)
		default:
			return "", nil, invalid(at, "parts of type "+strconv.Quote(core.Cut(p.Type, 40))+" are not supported")
		}
	}
	return strings.Join(texts, "\n"), files, nil
}

func (p part) address() string {
	var address string
	var object struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(p.ImageURL, &address) == nil {
		return address
	}
	_ = json.Unmarshal(p.ImageURL, &object) // an invalid value gives no address
	return object.URL
}

// dataFile accepts only data URLs, because errand fetches nothing that a client names.
func dataFile(address, name, at string) (api.SentFile, error) {
	head, data, ok := strings.Cut(strings.TrimPrefix(address, "data:"), ",")
	if !ok || !strings.HasPrefix(address, "data:") || !strings.HasSuffix(head, ";base64") {
		return api.SentFile{}, invalid(at, "a file must be a data URL in base64")
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return api.SentFile{}, invalid(at, "the file is not base64")
	}
	if name == "" {
		name = "file"
		if kinds, err := mime.ExtensionsByType(strings.TrimSuffix(head, ";base64")); err == nil && len(kinds) > 0 {
			name += kinds[0]
		}
	}
	return api.SentFile{Name: name, Data: raw}, nil
}
