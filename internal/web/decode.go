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
	"time"
	"unicode/utf8"

	"errand"
	"errand/internal/jsonbody"
	"errand/internal/service"
)

// decode reads what a request says into a struct: its JSON into the field Body,
// where there is one, and path, query and headers into the fields that are tagged
// so. The same tags describe the request in the document of the API:
//
//	path:"id" id:"task"          the id of a task, or the beginning of one
//	query:"limit" maximum:"1000" a number from 1 to 1000; also default
//	query:"agent" maxLength:"60" text, trimmed; without maxLength as it came
//	query:"state"                of a type of [wordsOf]: one of its words, or several
//	                             where the field is a slice
//	query:"force", "before"      of type bool or dateOrTime
//	header:"Last-Event-ID"       as it came
func decode(w http.ResponseWriter, r *http.Request, in any) error {
	v := reflect.ValueOf(in).Elem()
	if body := v.FieldByName("Body"); body.IsValid() {
		most := int64(maxBody)
		if larger, ok := in.(interface{ maxBody() int64 }); ok {
			most = larger.maxBody()
		}
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
	case of == "" && !isText(given):
		return badRequest(name, "%s is not valid text", name)
	case v.Kind() == reflect.Int64:
		n, err := strconv.ParseInt(given, 10, 64)
		if err != nil || n < 1 {
			return badRequest(name, "the id of a %s is a number", of)
		}
		v.SetInt(n)
		return nil
	case of == "code":
		if given = strings.TrimSpace(given); !aCode.MatchString(given) {
			return service.Invalid(name, "refusal.bad_code", "code", strconv.Quote(errand.Cut(strings.ToValidUTF8(given, "?"), 40)))
		}
	case of != "":
		if given = strings.TrimSpace(given); !anID.MatchString(given) {
			return service.Invalid(name, "refusal.bad_id", "id", strconv.Quote(errand.Cut(strings.ToValidUTF8(given, "?"), 40)), "thing", of)
		}
	}
	v.SetString(given)
	return nil
}

func decodeQuery(q url.Values, name string, tag reflect.StructTag, v reflect.Value) error {
	switch kind := v.Kind(); {
	case v.Type() == reflect.TypeFor[dateOrTime]():
		at, err := moment(q, name)
		v.Set(reflect.ValueOf(dateOrTime{at}))
		return err
	case kind == reflect.Bool:
		is, err := flag(q, name)
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
		text, err := words(q.Get(name), name, most)
		v.SetString(text)
		return err
	}
	if !isText(q.Get(name)) {
		return badRequest(name, "%s is not valid text", name)
	}
	v.SetString(q.Get(name))
	return nil
}

// A dateOrTime is what people write for a time; zero: they did not.
type dateOrTime struct{ time.Time }

func wordsOf(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[errand.Role]():
		return errand.Strings(errand.Roles())
	case reflect.TypeFor[errand.TaskState]():
		return errand.Strings(errand.TaskStates())
	case reflect.TypeFor[errand.OutboxState]():
		return errand.Strings(errand.OutboxStates())
	case reflect.TypeFor[errand.EventType]():
		return errand.Strings(errand.EventTypes())
	case reflect.TypeFor[errand.Way]():
		return errand.Strings(errand.Ways())
	case reflect.TypeFor[errand.Reason]():
		return errand.Strings(errand.Reasons())
	case reflect.TypeFor[errand.ConnectionState]():
		return errand.Strings(errand.ConnectionStates())
	case reflect.TypeFor[service.UsageBy]():
		return errand.Strings(service.UsageBys())
	case reflect.TypeFor[sessionState]():
		return []string{"active", "suspended", "ended"}
	}
	return nil
}

// read reads a JSON body into v; an empty one leaves v as it is.
func read(w http.ResponseWriter, r *http.Request, v any, most int64) error {
	raw, err := readBody(w, r, most)
	if err != nil || len(raw) == 0 {
		return err
	}
	// encoding/json would replace what is not UTF-8 and not say so.
	if !utf8.Valid(raw) {
		return service.Invalid("not_utf8", "refusal.request_not_utf8")
	}
	if jsonbody.IsTooDeep(raw) {
		return service.Invalid("too_deep", "refusal.request_deep", "most", jsonbody.MostDepth)
	}
	if longestList(raw) > mostEntries {
		return service.Refuse(service.KindTooLarge, "too_large", "refusal.list_long", "most", mostEntries)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var wrong *json.UnmarshalTypeError
	err = dec.Decode(v)
	if errors.As(err, &wrong) && wrong.Field == "" {
		err = fmt.Errorf("it is of type %s and should be an object", wrong.Value) // the error would tell our types
	}
	if err != nil {
		return service.Invalid("json", "refusal.request_json", "why", errand.Cut(err.Error(), 200))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return service.Invalid("json", "refusal.request_more")
	}
	return nil
}
