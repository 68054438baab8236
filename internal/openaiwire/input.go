package openaiwire

import (
	"encoding/base64"
	"encoding/json"
	"mime"
	"strconv"
	"strings"

	"errand"
	"errand/internal/service"
)

// A message is one of a request, of either of the two APIs.
type message struct {
	Type    string          `json:"type"` // of an item; empty: a message
	ID      string          `json:"id"`   // of an item
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// A part is one of a message's content.
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

// read reads messages, of which the last is what is said now.
func read(messages []message, param string) (said, error) {
	var out said
	for i, m := range messages {
		at := param + "[" + strconv.Itoa(i) + "]"
		if before := i < len(messages)-1; before && m.Type == "reasoning" {
			continue
		} else if before && m.Type == "item_reference" {
			out.after = m.ID // the conversation that it is of is known here
			continue
		}
		if m.Type != "" && m.Type != "message" {
			return out, invalid(at, "items of type "+strconv.Quote(errand.Cut(m.Type, 40))+" are not taken: errand's agents have tools of their own")
		}
		text, files, err := m.content(at)
		if err != nil {
			return out, err
		}
		if i < len(messages)-1 {
			if text != "" { // files that were shown before are the past
				out.before = append(out.before, line{m.Role, text})
			}
			continue
		}
		if m.Role != "user" {
			return out, invalid(at, "the last message has to be the user's")
		}
		out.text, out.files = text, files
	}
	if strings.TrimSpace(out.text) == "" && len(out.files) == 0 {
		return out, invalid(param, "there is nothing said")
	}
	if len(out.files) > service.MaxMessageFiles {
		return out, invalid(param, "more than "+strconv.Itoa(service.MaxMessageFiles)+" files come with the message")
	}
	return out, nil
}

// content is the text of a message, and the files in it.
func (m message) content(at string) (text string, files []service.SentFile, err error) {
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
			return "", nil, invalid(at, "parts of type "+strconv.Quote(errand.Cut(p.Type, 40))+" are not taken")
		}
	}
	return strings.Join(texts, "\n"), files, nil
}

// address is where a picture is, which one API puts into an object.
func (p part) address() string {
	var address string
	var object struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(p.ImageURL, &address) == nil {
		return address
	}
	_ = json.Unmarshal(p.ImageURL, &object) // what is none is no address
	return object.URL
}

// dataFile is the file that a data URL holds. errand fetches nothing that a client names.
func dataFile(address, name, at string) (service.SentFile, error) {
	head, data, ok := strings.Cut(strings.TrimPrefix(address, "data:"), ",")
	if !ok || !strings.HasPrefix(address, "data:") || !strings.HasSuffix(head, ";base64") {
		return service.SentFile{}, invalid(at, "a file is taken as a data URL in base64 only")
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return service.SentFile{}, invalid(at, "the file is no base64")
	}
	if name == "" {
		name = "file"
		if kinds, err := mime.ExtensionsByType(strings.TrimSuffix(head, ";base64")); err == nil && len(kinds) > 0 {
			name += kinds[0]
		}
	}
	return service.SentFile{Name: name, Data: raw}, nil
}
