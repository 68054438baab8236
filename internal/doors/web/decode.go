package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"errand/api"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/service"
)

// decode reads a request into an input. Package api describes the tags of the fields.
func decode(w http.ResponseWriter, r *http.Request, in any) error {
	most := int64(maxBody)
	if larger, ok := in.(interface{ maxBody() int64 }); ok {
		most = larger.maxBody()
	}
	return decodeAtMost(w, r, in, most)
}

func decodeAtMost(w http.ResponseWriter, r *http.Request, in any, most int64) error {
	v := reflect.ValueOf(in).Elem()
	if body := v.FieldByName("Body"); body.IsValid() {
		if err := read(w, r, body.Addr().Interface(), most); err != nil {
			return err
		}
	}
	return decodeFields(r, r.URL.Query(), v)
}

func decodeFields(r *http.Request, q url.Values, v reflect.Value) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		var err error
		switch path, query, header := f.Tag.Get("path"), f.Tag.Get("query"), f.Tag.Get("header"); {
		case f.Anonymous:
			err = decodeFields(r, q, v.Field(i))
		case path != "":
			err = decodePath(r.PathValue(path), path, f.Tag.Get("id"), v.Field(i))
		case query != "":
			err = decodeQuery(q, query, f.Tag, v.Field(i))
		case header != "":
			v.Field(i).SetString(r.Header.Get(header))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func decodePath(given, name, of string, v reflect.Value) error {
	switch {
	case of == "" && !service.IsText(given):
		return badRequest(name, "%s is not valid text", name)
	case v.Kind() == reflect.Int64:
		n, err := strconv.ParseInt(given, 10, 64)
		if err != nil || n < 1 {
			return badRequest(name, "the id of a %s must be a number", of)
		}
		v.SetInt(n)
		return nil
	case of == "code":
		if given = strings.TrimSpace(given); !aCode.MatchString(given) {
			return service.Invalid(name, "refusal.bad_code", "code", strconv.Quote(core.Cut(strings.ToValidUTF8(given, "?"), 40)))
		}
	case of != "":
		if given = strings.TrimSpace(given); !anID.MatchString(given) {
			return service.Invalid(name, "refusal.bad_id", "id", strconv.Quote(core.Cut(strings.ToValidUTF8(given, "?"), 40)), "thing", of)
		}
	}
	v.SetString(given)
	return nil
}

func decodeQuery(q url.Values, name string, tag reflect.StructTag, v reflect.Value) error {
	switch kind := v.Kind(); {
	case v.Type() == reflect.TypeFor[dateOrTime]():
		at, err := api.ParseDateOrTime(q.Get(name))
		if err != nil {
			return badRequest(name, "%s: %v", name, err)
		}
		v.Set(reflect.ValueOf(at))
		return nil
	case kind == reflect.Bool:
		is, err := boolean(q, name)
		v.SetBool(is)
		return err
	case kind == reflect.Int:
		absent, _ := strconv.Atoi(tag.Get("default")) // without one: 0
		most, err := strconv.Atoi(tag.Get("maximum"))
		if err != nil {
			return err
		}
		n, err := number(q, name, absent, most)
		v.SetInt(int64(n))
		return err
	case kind == reflect.Slice:
		given, err := oneOf(q, name, wordsOf(v.Type().Elem()))
		for _, word := range given {
			v.Set(reflect.Append(v, reflect.ValueOf(word).Convert(v.Type().Elem())))
		}
		return err
	case wordsOf(v.Type()) != nil:
		given, err := oneOf(q, name, wordsOf(v.Type()))
		switch {
		case err != nil:
			return err
		case len(given) > 1:
			return badRequest(name, "one %s at a time", name)
		case len(given) == 1:
			v.SetString(given[0])
		}
		return nil
	case tag.Get("maxLength") != "":
		most, err := strconv.Atoi(tag.Get("maxLength"))
		if err != nil {
			return err
		}
		text, err := service.Words(q.Get(name), name, most)
		v.SetString(text)
		return err
	}
	if !service.IsText(q.Get(name)) {
		return badRequest(name, "%s is not valid text", name)
	}
	v.SetString(q.Get(name))
	return nil
}

type dateOrTime = api.DateOrTime

func wordsOf(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[core.Role]():
		return core.Strings(core.Roles())
	case reflect.TypeFor[core.TaskState]():
		return core.Strings(core.TaskStates())
	case reflect.TypeFor[core.OutboxState]():
		return core.Strings(core.OutboxStates())
	case reflect.TypeFor[core.EventType]():
		return core.Strings(core.EventTypes())
	case reflect.TypeFor[core.Way]():
		return core.Strings(core.Ways())
	case reflect.TypeFor[core.Reason]():
		return core.Strings(core.Reasons())
	case reflect.TypeFor[core.ConnectionState]():
		return core.Strings(core.ConnectionStates())
	case reflect.TypeFor[core.UsageBy]():
		return core.Strings(api.UsageBys())
	case reflect.TypeFor[api.SessionState]():
		return []string{"active", "suspended", "ended"}
	}
	return nil
}

// read does not change v if the body is empty.
func read(w http.ResponseWriter, r *http.Request, v any, most int64) error {
	raw, err := readBody(w, r, most)
	if err != nil || len(raw) == 0 {
		return err
	}
	// encoding/json silently replaces invalid UTF-8.
	if !utf8.Valid(raw) {
		return service.Invalid("not_utf8", "refusal.request_not_utf8")
	}
	if content.IsJSONTooDeep(raw) {
		return service.Invalid("too_deep", "refusal.request_deep", "most", content.MaxJSONDepth)
	}
	if longestList(raw) > mostEntries {
		return service.Refuse(service.KindTooLarge, "too_large", "refusal.list_long", "most", mostEntries)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var wrong *json.UnmarshalTypeError
	err = dec.Decode(v)
	if errors.As(err, &wrong) && wrong.Field == "" {
		err = fmt.Errorf("it is of type %s, but must be an object", wrong.Value) // hides the names of Go types
	}
	if err != nil {
		return service.Invalid("json", "refusal.request_json", "why", core.Cut(err.Error(), 200))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return service.Invalid("json", "refusal.request_more")
	}
	return nil
}
