package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/swaggest/jsonschema-go"
	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"

	"errand"
	"errand/internal/rights"
)

const apiAbout = `Errors are problem details (RFC 9457, application/problem+json) with one more member, "error": {"code", "message"}, by whose code programs go: ` +
	`400 for what makes no sense, 401 for a token that is not valid, 403 "forbidden" for what is not the caller's to do. ` +
	`A list is an array, the next page of which the header Link leads to. ` +
	`Authorization: Bearer, with the owner's key (data/owner.key, or ERRAND_TOKEN) or a personal token; who shows nothing is a stranger, from this machine too. ` +
	`x-role is the least role that may use an operation; x-capability is what that role has to have.`

const linkAbout = "rel=\"next\": where the next page is (RFC 8288), if this one is full"

// describe writes the document of the API: what the operations say of themselves, and
// the types of what they take and answer.
func describe(operations []operation) ([]byte, error) { return describeWith(operations, describeType) }

func describeWith(operations []operation, types jsonschema.InterceptSchemaFunc) ([]byte, error) {
	d := openapi31.NewReflector()
	d.Spec.Info.WithTitle("errand").WithVersion("1").WithDescription(apiAbout)
	d.DefaultOptions = append(d.DefaultOptions, jsonschema.InterceptDefName(nameOfType), jsonschema.InterceptSchema(types),
		jsonschema.InterceptNullability(func(p jsonschema.InterceptNullabilityParams) {
			p.Schema.RemoveType(jsonschema.Null) // what is not there is left out
		}))
	for _, o := range operations {
		if err := describeOperation(d, o); err != nil {
			return nil, fmt.Errorf("describe %s: %w", o.pattern, err)
		}
	}
	raw, err := json.Marshal(d.Spec)
	if err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", " "); err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	return out.Bytes(), nil
}

func describeOperation(d *openapi31.Reflector, o operation) error {
	method, path, _ := strings.Cut(o.pattern, " ")
	of, err := d.NewOperationContext(method, path)
	if err != nil {
		return err
	}
	of.SetID(o.name)
	of.SetSummary(o.summary)
	if o.about != "" {
		of.SetDescription(o.about)
	}
	of.AddReqStructure(reflect.New(o.in).Interface())
	if body, ok := o.in.FieldByName("Body"); ok {
		of.AddReqStructure(reflect.New(body.Type).Interface(), func(u *openapi.ContentUnit) {
			u.ContentType = jsonMedia
			u.Customize = requireBody(body.Type)
		})
	}
	if o.body != "" {
		of.AddReqStructure(nil, func(u *openapi.ContentUnit) { u.ContentType, u.Format = o.body, "binary" })
	}
	for _, a := range o.answers {
		var body any
		if a.body != nil {
			body = reflect.New(a.body).Interface()
		}
		of.AddRespStructure(body, func(u *openapi.ContentUnit) {
			u.HTTPStatus, u.Description, u.ContentType = a.status, a.about, a.media
			if o.linked {
				u.Customize = describeLink
			}
			if strings.HasPrefix(a.media, "text/") || a.body != nil {
				return
			}
			u.Format = "binary"
		})
	}
	of.AddRespStructure(new(problem), func(u *openapi.ContentUnit) {
		u.IsDefault, u.Description, u.ContentType = true, "an error", problemMedia
	})
	if known, ok := of.(openapi31.OperationExposer); ok {
		table := rights.Default()
		known.Operation().WithMapOfAnythingItem("x-role", table.Least(rights.Route, o.pattern)).
			WithMapOfAnythingItem("x-capability", table.Needs(rights.Route, o.pattern))
	}
	return d.AddOperation(of)
}

func describeLink(c openapi.ContentOrReference) {
	if answer, ok := c.(*openapi31.ResponseOrReference); ok {
		header := (&openapi31.Header{}).WithDescription(linkAbout).WithSchema(map[string]any{"type": "string"})
		answer.Response.WithHeadersItem("Link", openapi31.HeaderOrReference{Header: header})
	}
}

func requireBody(t reflect.Type) func(openapi.ContentOrReference) {
	needed := false
	for i := range t.NumField() {
		needed = needed || t.Field(i).Tag.Get("required") == "true"
	}
	return func(c openapi.ContentOrReference) {
		if body, ok := c.(*openapi31.RequestBodyOrReference); ok && needed {
			body.RequestBody.WithRequired(true)
		}
	}
}

// typeNames are the types that the document calls otherwise than the code.
var typeNames = map[reflect.Type]string{
	reflect.TypeFor[taskView]():        "Task",
	reflect.TypeFor[errand.Task]():     "TaskRow",
	reflect.TypeFor[problem]():         "Error",
	reflect.TypeFor[messageReply]():    "Reply",
	reflect.TypeFor[messageAccepted](): "Accepted",
	reflect.TypeFor[identity]():        "IdentityIn", // of a request
}

// nameOfType is what the document calls a type: as the code does, with a capital,
// without the package.
func nameOfType(t reflect.Type, _ string) string {
	if name := typeNames[t]; name != "" {
		return name
	}
	name := t.Name()
	return strings.ToUpper(name[:1]) + name[1:]
}

// describeType adds what a Go type does not say.
func describeType(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
	if !p.Processed {
		return false, nil
	}
	t := p.Value.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p.Schema.RemoveType(jsonschema.Null) // a list that is empty is a list
	if words := wordsOf(t); words != nil {
		for _, word := range words {
			p.Schema.Enum = append(p.Schema.Enum, word)
		}
	}
	switch t {
	case reflect.TypeFor[eventID]():
		p.Schema.WithType(jsonschema.Integer.Type())
	case reflect.TypeFor[dateOrTime]():
		*p.Schema = *(&jsonschema.Schema{}).WithType(jsonschema.String.Type())
	case reflect.TypeFor[problem]():
		p.Schema.WithDescription("problem details (RFC 9457)")
	}
	return false, nil
}

// getOpenAPI serves the document. It is the same for everybody.
func (s *Server) getOpenAPI(w http.ResponseWriter, r *http.Request) {
	raw, err := s.document()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	http.ServeContent(w, r, "openapi.json", time.Time{}, bytes.NewReader(raw))
}
