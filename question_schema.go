package errand

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// An AnswerSchema is the part of JSON Schema in which an agent may say what an answer
// has to be: one value, or an object of such, as MCP's elicitation has it
// (https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation). People
// have to be able to type it.
type AnswerSchema struct {
	Type        string                  `json:"type"`
	Title       string                  `json:"title,omitempty"`
	Description string                  `json:"description,omitempty"`
	Enum        []string                `json:"enum,omitempty"`
	Format      string                  `json:"format,omitempty"` // email, uri, date or date-time
	MinLength   *int                    `json:"minLength,omitempty"`
	MaxLength   *int                    `json:"maxLength,omitempty"`
	Minimum     *float64                `json:"minimum,omitempty"`
	Maximum     *float64                `json:"maximum,omitempty"`
	Properties  map[string]AnswerSchema `json:"properties,omitempty"`
	Required    []string                `json:"required,omitempty"`
}

const maxProperties = 12

// ParseAnswerSchema reads a schema. The error says what of it is not taken.
func ParseAnswerSchema(raw json.RawMessage) (AnswerSchema, error) {
	var s AnswerSchema
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("the schema is not one that a person can answer: %v", err)
	}
	if s.Type != "object" {
		return s, s.check("the schema")
	}
	if len(s.Properties) == 0 || len(s.Properties) > maxProperties {
		return s, fmt.Errorf("the schema needs 1 to %d properties", maxProperties)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		if err := p.check(strconv.Quote(name)); err != nil {
			return s, err
		}
	}
	for _, name := range s.Required {
		if _, ok := s.Properties[name]; !ok {
			return s, fmt.Errorf("%q is required, and is no property", name)
		}
	}
	return s, nil
}

func (s *AnswerSchema) check(what string) error {
	switch s.Type {
	case "string":
		if s.Format != "" && !slices.Contains([]string{"email", "uri", "date", "date-time"}, s.Format) {
			return fmt.Errorf("%s has the format %q; email, uri, date and date-time are taken", what, s.Format)
		}
		return nil
	case "integer", "number", "boolean":
		if len(s.Enum) > 0 {
			return fmt.Errorf("%s has an enum, which only a string may have", what)
		}
		return nil
	}
	return fmt.Errorf("%s has the type %q; string, integer, number and boolean are taken, and one object of such", what, s.Type)
}

// Read returns what a text means by the schema: a text as it is, anything else as JSON.
// An object is written as JSON, or as "name: value" in lines; of one property the value
// is enough. One value is never taken for several.
func (s *AnswerSchema) Read(text string) (answer string, misfit *AnswerError) {
	if s.Type != "object" {
		v, misfit := s.value(text)
		if t, ok := v.(string); ok {
			return t, misfit
		}
		return jsonText(v), misfit
	}
	given, misfit := s.fields(text)
	if misfit != nil {
		return "", misfit
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := s.Properties[name]; !ok {
			return "", &AnswerError{Code: MisfitUnasked, Name: Cut(name, 40), Want: s.names()}
		}
	}
	values := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		text, ok := given[name]
		if !ok {
			if slices.Contains(s.Required, name) {
				return "", &AnswerError{Code: MisfitMissing, Name: name, Want: s.names()}
			}
			continue
		}
		v, misfit := p.value(text)
		if misfit != nil {
			misfit.Name = name
			return "", misfit
		}
		values[name] = v
	}
	return jsonText(values), nil
}

// names are those of the properties: "day, time".
func (s *AnswerSchema) names() string {
	return strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
}

func (s *AnswerSchema) fields(text string) (map[string]string, *AnswerError) {
	fields := map[string]string{}
	if strings.HasPrefix(text, "{") {
		var raw map[string]any
		if err := json.Unmarshal([]byte(text), &raw); err != nil {
			return nil, &AnswerError{Code: MisfitSeveral, Want: s.names()}
		}
		for name, v := range raw {
			if t, ok := v.(string); ok {
				fields[name] = t
			} else {
				fields[name] = jsonText(v)
			}
		}
		return fields, nil
	}
	if len(s.Properties) == 1 {
		only := s.names()
		if name, value, ok := strings.Cut(text, ":"); ok && strings.EqualFold(strings.TrimSpace(name), only) {
			text = value
		}
		fields[only] = strings.TrimSpace(text)
		return fields, nil
	}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			return nil, &AnswerError{Code: MisfitSeveral, Want: s.names()}
		}
		name = strings.TrimSpace(name)
		for _, known := range slices.Sorted(maps.Keys(s.Properties)) {
			if strings.EqualFold(known, name) {
				name = known
			}
		}
		fields[name] = strings.TrimSpace(value)
	}
	return fields, nil
}

func (s *AnswerSchema) value(text string) (any, *AnswerError) {
	text = strings.TrimSpace(text)
	switch s.Type {
	case "integer", "number":
		return s.number(text)
	case "boolean":
		switch strings.ToLower(text) {
		case "true", "yes", "y", "1":
			return true, nil
		case "false", "no", "n", "0":
			return false, nil
		}
		return nil, &AnswerError{Code: MisfitYesNo}
	}
	if len(s.Enum) > 0 {
		i := slices.IndexFunc(s.Enum, func(e string) bool { return strings.EqualFold(e, text) })
		if i < 0 {
			return nil, &AnswerError{Code: MisfitOptions, Want: strings.Join(s.Enum, ", ")}
		}
		return s.Enum[i], nil
	}
	switch n := utf8.RuneCountInString(text); {
	case s.MinLength != nil && n < *s.MinLength:
		return nil, &AnswerError{Code: MisfitShort, Want: strconv.Itoa(*s.MinLength)}
	case s.MaxLength != nil && n > *s.MaxLength:
		return nil, &AnswerError{Code: MisfitLong, Want: strconv.Itoa(*s.MaxLength)}
	case !s.formatted(text):
		return nil, &AnswerError{Code: s.Format}
	}
	return text, nil
}

func (s *AnswerSchema) number(text string) (any, *AnswerError) {
	n, err := strconv.ParseFloat(text, 64)
	limit := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		return nil, &AnswerError{Code: MisfitNumber}
	case s.Type == "integer" && n != math.Trunc(n):
		return nil, &AnswerError{Code: MisfitWhole}
	case s.Minimum != nil && n < *s.Minimum:
		return nil, &AnswerError{Code: MisfitLeast, Want: limit(*s.Minimum)}
	case s.Maximum != nil && n > *s.Maximum:
		return nil, &AnswerError{Code: MisfitMost, Want: limit(*s.Maximum)}
	}
	return n, nil
}

// formatted reports whether a text has the format of s.
func (s *AnswerSchema) formatted(text string) bool {
	var err error
	switch s.Format {
	case "email":
		_, err = mail.ParseAddress(text)
	case "uri":
		u, bad := url.Parse(text)
		return bad == nil && u.Scheme != ""
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	}
	return err == nil
}

// What is wrong with an answer. A format that it has not is a code of its own.
const (
	MisfitEmpty   = "empty"
	MisfitOptions = "options" // it is none of Want
	MisfitNumber  = "number"
	MisfitWhole   = "integer"
	MisfitLeast   = "least" // it is less than Want
	MisfitMost    = "most"  // it is more than Want
	MisfitYesNo   = "boolean"
	MisfitShort   = "short"   // it has fewer characters than Want
	MisfitLong    = "long"    // it has more
	MisfitSeveral = "several" // it is one value, and these are asked for
	MisfitUnasked = "unasked" // Name is not among Want
	MisfitMissing = "missing" // Name, which is among Want, is not there
)

// An AnswerError says why a text is no answer to a question: a code, for whoever words
// it.
type AnswerError struct {
	Code string
	Name string // of the property that it is about; empty: of the answer as a whole
	Want string // what would fit: a limit, or names
}

func (e *AnswerError) Error() string {
	return strings.TrimSpace(strings.Join([]string{"no answer:", e.Code, e.Name, e.Want}, " "))
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "" // texts, numbers and booleans: it cannot fail
	}
	return string(b)
}
