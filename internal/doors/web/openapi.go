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

	"errand/api"
	"errand/internal/core"
	"errand/internal/rights"
)

const apiAbout = `Errors are problem details (RFC 9457, application/problem+json) with one more member, "error": {"code", "message"}, with a code for programs: ` +
	`400 for an invalid request, 401 for an invalid token, 403 "forbidden" for what the caller may not do. ` +
	`A list is an array; the header Link leads to its next page. ` +
	`Authorization: Bearer, with the owner's key (data/owner.key, or ERRAND_TOKEN) or a personal token; a request without one is a stranger's, also from this machine. ` +
	`x-role is the least role that may use an operation; x-capability is the capability that it needs.`

const linkAbout = "rel=\"next\": where the next page is (RFC 8288), if this one is full"

func describe(operations []operation) ([]byte, error) {
	d := openapi31.NewReflector()
	d.Spec.Info.WithTitle("errand").WithVersion("1").WithDescription(apiAbout)
	d.DefaultOptions = append(d.DefaultOptions, jsonschema.InterceptDefName(nameOfType), jsonschema.InterceptSchema(describeType),
		jsonschema.InterceptNullability(func(p jsonschema.InterceptNullabilityParams) {
			p.Schema.RemoveType(jsonschema.Null) // absent values are omitted, not null
		}))
	table := api.Rights()
	for _, o := range operations {
		if err := describeOperation(d, table, o); err != nil {
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

func describeOperation(d *openapi31.Reflector, table *rights.Table, o operation) error {
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
	if body, ok := o.in.FieldByName("Body"); ok && o.body == "" {
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

var typeNames = map[reflect.Type]string{
	reflect.TypeFor[api.Opening]():                 "OpeningOut",
	reflect.TypeFor[api.TaskCounts]():              "CountsOut",
	reflect.TypeFor[api.TriedHook]():               "Tried",
	reflect.TypeFor[api.HookSecret]():              "HookSecretOut",
	reflect.TypeFor[api.MadeToken]():               "TokenOut",
	reflect.TypeFor[api.RevokedToken]():            "RevokeOut",
	reflect.TypeFor[api.Agent]():                   "AgentView",
	reflect.TypeFor[api.NewSession]():              "ResetOut",
	reflect.TypeFor[api.ChangedChat]():             "ChatOut",
	reflect.TypeFor[api.DeletedSession]():          "DeleteSessionOut",
	reflect.TypeFor[core.Task]():                   "TaskRow",
	reflect.TypeFor[core.SearchHit]():              "Hit",
	reflect.TypeFor[problem]():                     "Error",
	reflect.TypeFor[api.Me]():                      "MeOut",
	reflect.TypeFor[api.ChangedMe]():               "MeChanged",
	reflect.TypeFor[api.LoginLink]():               "LinkOut",
	reflect.TypeFor[api.Push]():                    "PushOut",
	reflect.TypeFor[api.DeletedPushSubscription](): "PushIDOut",
	reflect.TypeFor[api.ApprovedPairing]():         "ApproveOut",
	reflect.TypeFor[api.DeniedPairing]():           "DenyOut",
	reflect.TypeFor[api.About]():                   "AboutOut",
	reflect.TypeFor[api.RoleName]():                "RoleView",
	reflect.TypeFor[api.MCPCall]():                 "McpCall",
	reflect.TypeFor[api.TriedMCPTool]():            "McpTryOut",
	reflect.TypeFor[api.Connection]():              "ConnectionView",
	reflect.TypeFor[api.ChannelCode]():             "CodeOut",
	reflect.TypeFor[api.StartedCleanUp]():          "MaintenanceOut",
	reflect.TypeFor[api.MessageReply]():            "Reply",
	reflect.TypeFor[api.MessageAccepted]():         "Accepted",
	reflect.TypeFor[api.SentFile]():                "FileSent",
	reflect.TypeFor[api.Changes]():                 "ChangeView",
	reflect.TypeFor[api.Question]():                "QuestionView",
	reflect.TypeFor[api.Usage]():                   "UsageOut",
	reflect.TypeFor[api.ChangedDelivery]():         "DeliveryOut",
	reflect.TypeFor[api.Task]():                    "Task",
}

func nameOfType(t reflect.Type, _ string) string {
	if name := typeNames[t]; name != "" {
		return name
	}
	name := t.Name()
	return strings.ToUpper(name[:1]) + name[1:]
}

func describeType(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
	if !p.Processed {
		return false, nil
	}
	t := p.Value.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p.Schema.RemoveType(jsonschema.Null) // an empty list is [], not null
	if words := wordsOf(t); words != nil {
		for _, word := range words {
			p.Schema.Enum = append(p.Schema.Enum, word)
		}
	}
	switch t {
	case reflect.TypeFor[api.EventID]():
		p.Schema.WithType(jsonschema.Integer.Type())
	case reflect.TypeFor[dateOrTime]():
		*p.Schema = *(&jsonschema.Schema{}).WithType(jsonschema.String.Type())
	case reflect.TypeFor[problem]():
		p.Schema.WithDescription("problem details (RFC 9457)")
	}
	return false, nil
}

func (s *Server) getOpenAPI(w http.ResponseWriter, r *http.Request) {
	raw, err := s.document()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	http.ServeContent(w, r, "openapi.json", time.Time{}, bytes.NewReader(raw))
}
