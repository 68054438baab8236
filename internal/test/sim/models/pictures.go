package models

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// content is what a message says: a text, or a list of parts.
type content struct {
	given    bool
	text     string
	pictures []Picture
}

// A Picture is one of a request.
type Picture struct {
	Type string
	Data []byte
}

// UnmarshalJSON reads the parts of both wires:
// https://platform.openai.com/docs/guides/images-vision.
func (c *content) UnmarshalJSON(data []byte) error {
	if c.given = string(data) != "null"; json.Unmarshal(data, &c.text) == nil {
		return nil
	}
	var parts []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		ImageURL json.RawMessage `json:"image_url"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text", "input_text", "output_text":
			texts = append(texts, p.Text)
		case "image_url", "input_image":
			picture, err := readPicture(p.Type, p.ImageURL)
			if err != nil {
				return err
			}
			c.pictures = append(c.pictures, picture)
		default:
			return fmt.Errorf("invalid value: '%s'", p.Type)
		}
	}
	c.text = strings.Join(texts, "\n")
	return nil
}

func readPicture(typ string, raw json.RawMessage) (Picture, error) {
	var address string
	var object struct {
		URL string `json:"url"`
	}
	var err error
	if typ == "input_image" {
		err = json.Unmarshal(raw, &address)
	} else if err = json.Unmarshal(raw, &object); err == nil {
		address = object.URL
	}
	if err != nil {
		return Picture{}, err
	}
	head, encoded, _ := strings.Cut(strings.TrimPrefix(address, "data:"), ";base64,")
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || encoded == "" {
		return Picture{}, errors.New("invalid image_url: want a data URL")
	}
	return Picture{head, data}, nil
}

// Pictures are those of the latest request, in order.
func (s *Server) Pictures() []Picture {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pictures
}

// Texts are what the messages of people say in the latest request, in order.
func (s *Server) Texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.texts
}

// maySee notes what a request shows, or refuses it.
func (s *Server) maySee(model string, contents []content) *refusal {
	var pictures []Picture
	var texts []string
	for _, c := range contents {
		pictures, texts = append(pictures, c.pictures...), append(texts, c.text)
	}
	s.mu.Lock()
	s.pictures, s.texts = pictures, texts
	s.mu.Unlock()
	if !s.Sightless || len(pictures) == 0 {
		return nil
	}
	switch s.Kind {
	case DeepSeek: // https://github.com/lessweb/deepcode-cli/issues/50
		return &refusal{status: 400, code: "invalid_request_error", message: "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 460917"}
	case LlamaCpp: // https://github.com/ggml-org/llama.cpp/issues/13566
		return &refusal{status: 500, message: "image input is not supported by this server"}
	case OpenRouter: // https://github.com/github/app/issues/2163
		return &refusal{status: http.StatusNotFound, message: "No endpoints found that support image input"}
	case VLLM: // https://github.com/vllm-project/vllm/issues/23402
		return &refusal{status: 400, message: model + " is not a multimodal model"}
	}
	// https://github.com/browser-use/web-ui/issues/274
	return &refusal{status: 400, param: "messages.[1].content.[1].type", message: "Invalid content type. image_url is only supported by certain models."}
}
