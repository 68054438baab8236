package answer

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

	"errand/internal/core"
)

const maxProperties = 12

// ParseAnswerSchema parses a schema. The error names the part that is not supported.
func ParseAnswerSchema(raw json.RawMessage) (core.AnswerSchema, error) {
	var s core.AnswerSchema
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("the schema is not one that a person can answer: %v", err)
	}
	if s.Type != "object" {
		return s, check(&s, "the schema")
	}
	if len(s.Properties) == 0 || len(s.Properties) > maxProperties {
		return s, fmt.Errorf("the schema needs 1 to %d properties", maxProperties)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		if err := check(&p, strconv.Quote(name)); err != nil {
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

func check(s *core.AnswerSchema, what string) error {
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

// Read parses an answer: a string as it is, other types as JSON. An object is JSON or lines of
// "name: value"; if it has one property, the value is enough. A single value never answers several
// properties.
func Read(s *core.AnswerSchema, text string) (answer string, misfit *core.AnswerError) {
	if s.Type != "object" {
		v, misfit := value(s, text)
		if t, ok := v.(string); ok {
			return t, misfit
		}
		return jsonText(v), misfit
	}
	given, misfit := fields(s, text)
	if misfit != nil {
		return "", misfit
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := s.Properties[name]; !ok {
			return "", &core.AnswerError{Code: core.MisfitUnasked, Name: core.Cut(name, 40), Want: names(s)}
		}
	}
	values := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		text, ok := given[name]
		if !ok {
			if slices.Contains(s.Required, name) {
				return "", &core.AnswerError{Code: core.MisfitMissing, Name: name, Want: names(s)}
			}
			continue
		}
		v, misfit := value(&p, text)
		if misfit != nil {
			misfit.Name = name
			return "", misfit
		}
		values[name] = v
	}
	return jsonText(values), nil
}

func names(s *core.AnswerSchema) string {
	return strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
}

func fields(s *core.AnswerSchema, text string) (map[string]string, *core.AnswerError) {
	fields := map[string]string{}
	if strings.HasPrefix(text, "{") {
		var raw map[string]any
		if err := json.Unmarshal([]byte(text), &raw); err != nil {
			return nil, &core.AnswerError{Code: core.MisfitSeveral, Want: names(s)}
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
		only := names(s)
		if name, value, ok := strings.Cut(text, ":"); ok && strings.EqualFold(strings.TrimSpace(name), only) {
			text = value
		}
		fields[only] = strings.TrimSpace(text)
		return fields, nil
	}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			return nil, &core.AnswerError{Code: core.MisfitSeveral, Want: names(s)}
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

func value(s *core.AnswerSchema, text string) (any, *core.AnswerError) {
	text = strings.TrimSpace(text)
	switch s.Type {
	case "integer", "number":
		return number(s, text)
	case "boolean":
		switch strings.ToLower(text) {
		case "true", "yes", "y", "1":
			return true, nil
		case "false", "no", "n", "0":
			return false, nil
		}
		return nil, &core.AnswerError{Code: core.MisfitYesNo}
	}
	if len(s.Enum) > 0 {
		i := slices.IndexFunc(s.Enum, func(e string) bool { return strings.EqualFold(e, text) })
		if i < 0 {
			return nil, &core.AnswerError{Code: core.MisfitOptions, Want: strings.Join(s.Enum, ", ")}
		}
		return s.Enum[i], nil
	}
	switch n := utf8.RuneCountInString(text); {
	case s.MinLength != nil && n < *s.MinLength:
		return nil, &core.AnswerError{Code: core.MisfitShort, Want: strconv.Itoa(*s.MinLength)}
	case s.MaxLength != nil && n > *s.MaxLength:
		return nil, &core.AnswerError{Code: core.MisfitLong, Want: strconv.Itoa(*s.MaxLength)}
	case !formatted(s, text):
		return nil, &core.AnswerError{Code: s.Format}
	}
	return text, nil
}

func number(s *core.AnswerSchema, text string) (any, *core.AnswerError) {
	n, err := strconv.ParseFloat(text, 64)
	limit := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		return nil, &core.AnswerError{Code: core.MisfitNumber}
	case s.Type == "integer" && n != math.Trunc(n):
		return nil, &core.AnswerError{Code: core.MisfitWhole}
	case s.Minimum != nil && n < *s.Minimum:
		return nil, &core.AnswerError{Code: core.MisfitLeast, Want: limit(*s.Minimum)}
	case s.Maximum != nil && n > *s.Maximum:
		return nil, &core.AnswerError{Code: core.MisfitMost, Want: limit(*s.Maximum)}
	}
	return n, nil
}

func formatted(s *core.AnswerSchema, text string) bool {
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

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "" // cannot fail for texts, numbers and booleans
	}
	return string(b)
}
