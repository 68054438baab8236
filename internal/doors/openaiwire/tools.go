package openaiwire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"errand/internal/core"
)

const (
	mostTools       = 128
	mostDescription = 4 << 10  // bytes
	mostSchema      = 32 << 10 // of one tool
	mostSchemas     = 256 << 10
	deepestSchema   = 32       // levels of nested objects and lists
	mostOutput      = 64 << 10 // of one call
	mostOutputs     = 256 << 10
)

// clientPrefix renames a client's tool in prompts if errand has a tool of the same name.
const clientPrefix = "client__"

func clientName(name string) string { return strings.TrimPrefix(name, clientPrefix) }

const maxToolName = 64

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// A function is a field of the tool in one API, and the tool itself in the other.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type toolsIn struct {
	Tools     []json.RawMessage `json:"tools"`
	Choice    json.RawMessage   `json:"tool_choice"`
	Parallel  *bool             `json:"parallel_tool_calls"`
	Functions []json.RawMessage `json:"functions"` // the deprecated form of tools
}

// read returns nil if the client offers no tools. has reports whether errand has a tool of a name.
func (in toolsIn) read(has func(string) bool) (*core.ClientTools, error) {
	switch {
	case len(in.Functions) > 0:
		return nil, invalid("functions", "give functions as tools: [{\"type\": \"function\", \"function\": …}]")
	case len(in.Tools) > mostTools:
		return nil, invalid("tools", "there are more than "+strconv.Itoa(mostTools)+" tools")
	}
	out := &core.ClientTools{Single: in.Parallel != nil && !*in.Parallel}
	size := 0
	for i, raw := range in.Tools {
		at := "tools[" + strconv.Itoa(i) + "]"
		size += len(raw)
		t, err := readTool(raw, at)
		if err != nil {
			return nil, err
		}
		if has != nil && has(t.Name) || strings.HasPrefix(t.Name, clientPrefix) {
			t.Name = clientPrefix + t.Name
		}
		switch {
		case out.Has(t.Name):
			return nil, invalid(at, "the tool "+strconv.Quote(clientName(t.Name))+" is given twice")
		case len(t.Name) > maxToolName:
			return nil, &wireError{http.StatusBadRequest, "invalid_request_error", "tool_name_taken", at, "errand has a tool " + strconv.Quote(clientName(t.Name)) + " of its own; give yours another name"}
		case size > mostSchemas:
			return nil, invalid("tools", "the tools are longer than "+strconv.Itoa(mostSchemas>>10)+" kB")
		}
		out.Tools = append(out.Tools, t)
	}
	if err := in.choose(out); err != nil || len(out.Tools) == 0 {
		return nil, err
	}
	return out, nil
}

func readTool(raw json.RawMessage, at string) (out core.ClientTool, err error) {
	var in struct {
		Type string `json:"type"`
		function
		Function *function `json:"function"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return out, invalid(at, "the tool is not valid: "+err.Error())
	}
	if in.Type != "function" {
		return out, invalid(at, "tools of type "+strconv.Quote(core.Cut(in.Type, 40))+" are not supported, only functions")
	}
	f := in.function
	if in.Function != nil {
		f = *in.Function
	}
	if string(f.Parameters) == "null" {
		f.Parameters = nil
	}
	switch {
	case !toolName.MatchString(f.Name):
		return out, invalid(at, "a tool's name can have up to 64 letters, digits, _ and -, and must not be "+strconv.Quote(core.Cut(f.Name, 80)))
	case len(f.Description) > mostDescription:
		return out, invalid(at, "the description is longer than "+strconv.Itoa(mostDescription)+" bytes")
	case len(f.Parameters) > mostSchema:
		return out, invalid(at, "the parameters are longer than "+strconv.Itoa(mostSchema>>10)+" kB")
	}
	if err := checkSchema(f.Parameters); err != nil {
		return out, invalid(at, "the parameters "+err.Error())
	}
	return core.ClientTool{Name: f.Name, Description: f.Description, Parameters: f.Parameters, Strict: f.Strict}, nil
}

// checkSchema checks only the form of a schema. The model's provider checks the rest.
func checkSchema(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	var object struct {
		Type any `json:"type"`
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &object) != nil {
		return errors.New("are not a JSON Schema of an object")
	}
	if object.Type != nil && object.Type != "object" {
		return errors.New("must be an object: \"type\": \"object\"")
	}
	d, deep := json.NewDecoder(bytes.NewReader(raw)), 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errors.New("are not JSON")
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if deep++; deep > deepestSchema {
				return fmt.Errorf("are nested more than %d levels deep", deepestSchema)
			}
		case json.Delim('}'), json.Delim(']'):
			deep--
		}
	}
}

func (in toolsIn) choose(out *core.ClientTools) error {
	if len(in.Choice) == 0 || string(in.Choice) == "null" {
		return nil
	}
	var mode string
	var object struct {
		Type     string    `json:"type"`
		Name     string    `json:"name"`
		Function *function `json:"function"`
		allowed
		Allowed *allowed `json:"allowed_tools"`
	}
	if json.Unmarshal(in.Choice, &mode) != nil {
		if json.Unmarshal(in.Choice, &object) != nil {
			return invalid("tool_choice", "tool_choice is neither a word nor an object")
		}
		switch object.Type {
		case "function":
			if object.Function != nil {
				object.Name = object.Function.Name
			}
			if out.Has(clientPrefix + object.Name) {
				object.Name = clientPrefix + object.Name
			}
			if !out.Has(object.Name) {
				return invalid("tool_choice", "there is no tool "+strconv.Quote(core.Cut(object.Name, 80))+" among those of the request")
			}
			out.Must, out.Only = true, object.Name
			return nil
		case "allowed_tools":
			if object.Allowed != nil {
				object.allowed = *object.Allowed
			}
			mode = object.Mode
			out.Tools = slices.DeleteFunc(out.Tools, func(t core.ClientTool) bool { return !object.has(clientName(t.Name)) })
		default:
			return invalid("tool_choice", "a tool_choice of type "+strconv.Quote(core.Cut(object.Type, 40))+" is not supported")
		}
	}
	switch mode {
	case "none":
		out.Tools = nil
	case "required":
		if out.Must = true; len(out.Tools) == 0 {
			return invalid("tool_choice", "tool_choice requires a tool, but the request has none")
		}
	case "auto", "":
	default:
		return invalid("tool_choice", "tool_choice must be none, auto, required or a function")
	}
	return nil
}

type allowed struct {
	Mode  string `json:"mode"`
	Tools []struct {
		Name     string    `json:"name"`
		Function *function `json:"function"`
	} `json:"tools"`
}

func (a allowed) has(name string) bool {
	for _, t := range a.Tools {
		if t.Name == name || t.Function != nil && t.Function.Name == name {
			return true
		}
	}
	return false
}
