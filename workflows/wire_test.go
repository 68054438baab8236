package workflows_test

import (
	"encoding"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

var update = flag.Bool("update", false, "write testdata/wire.golden anew")

// TestWire proves that no field of what is in Temporal's histories has lost its name
// or changed its kind: inputs and results of workflows and activities, and what
// signals, updates and queries carry. A field that is new is written down with
//
//	go test ./workflows -run TestWire -update
func TestWire(t *testing.T) {
	var have []string
	add := func(name string, in, out []reflect.Type) {
		have = append(have, name)
		for _, t := range in {
			have = append(have, fields(name+" in", t)...)
		}
		for _, t := range out {
			have = append(have, fields(name+" out", t)...)
		}
	}
	types := func(of ...any) (list []reflect.Type) {
		for _, v := range of {
			list = append(list, reflect.TypeOf(v))
		}
		return list
	}
	var all registry
	workflows.Register(&all)
	for _, f := range all {
		in, out := carried(reflect.TypeOf(f))
		add("workflow "+name(f), in, out)
	}
	acts := reflect.TypeFor[*activities.Activities]()
	for i := range acts.NumMethod() {
		if m := acts.Method(i); m.Type.NumIn() > 1 && m.Type.In(1).String() == "context.Context" {
			in, out := carried(m.Type)
			add("activity "+m.Name, in, out)
		}
	}
	add("signal "+wire.SignalMessage, types(wire.MessageSignal{}), nil)
	add("signal "+wire.SignalTaskFinished, types(wire.TaskFinishedSignal{}), nil)
	add("signal "+wire.SignalAnswered, types(wire.AnsweredSignal{}), nil)
	add("signal "+wire.SignalStop, types(wire.StopSignal{}), nil)
	add("signal "+wire.SignalState, types(wire.StateSignal{}), nil)
	add("signal "+wire.SignalSteer, types(wire.SteerSignal{}), nil)
	add("signal "+wire.SignalCancel, types(""), nil)
	add("signal "+wire.SignalDeadline, nil, nil)
	add("signal "+wire.SignalWake, nil, nil)
	add("signal "+wire.SignalHasten, nil, nil)
	add("signal "+wire.SignalEnd, nil, nil)
	add("update "+wire.UpdateReset, types(wire.ResetUpdate{}), types(wire.ResetResult{}))
	add("update "+wire.UpdateBusy, types(wire.BusyUpdate{}), nil)
	add("query "+wire.QueryStatus, nil, types(wire.Status{}))

	const golden = "testdata/wire.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(strings.Join(have, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range want {
		if !slices.Contains(have, line) {
			t.Errorf("%q is gone or has another name or kind: from version 0.9.0 on it has to stay, because histories have it; until then write the change down with -update", line)
		}
	}
	for _, line := range have {
		if !slices.Contains(want, line) {
			t.Errorf("%q is new: write it down with -update", line)
		}
	}
}

// A registry has the workflows that are registered with it.
type registry []any

func (r *registry) RegisterWorkflow(f any)                                        { *r = append(*r, f) }
func (r *registry) RegisterWorkflowWithOptions(f any, _ workflow.RegisterOptions) { *r = append(*r, f) }
func (r *registry) RegisterDynamicWorkflow(any, workflow.DynamicRegisterOptions)  {}

// name is what a workflow is registered as: the name of its function.
func name(f any) string {
	full := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return full[strings.LastIndexByte(full, '.')+1:]
}

// carried are the types of f that Temporal keeps: no contexts, receivers and errors.
func carried(f reflect.Type) (in, out []reflect.Type) {
	keeps := func(t reflect.Type) bool {
		return t.Kind() != reflect.Interface && t != reflect.TypeFor[*activities.Activities]()
	}
	for t := range f.Ins() {
		if keeps(t) {
			in = append(in, t)
		}
	}
	for t := range f.Outs() {
		if keeps(t) {
			out = append(out, t)
		}
	}
	return in, out
}

var (
	marshalsJSON = reflect.TypeFor[json.Marshaler]()
	marshalsText = reflect.TypeFor[encoding.TextMarshaler]()
)

func fields(path string, t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Implements(marshalsJSON) || t.Implements(marshalsText) {
		return []string{path + " " + t.String()}
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return fields(path+"[]", t.Elem())
	case reflect.Map:
		return fields(path+"{}", t.Elem())
	case reflect.Struct:
		var list []string
		for i := range t.NumField() {
			f := t.Field(i)
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case tag == "-" || !f.IsExported() && !f.Anonymous:
			case tag == "" && f.Anonymous:
				list = append(list, fields(path, f.Type)...)
			case tag == "":
				list = append(list, fields(path+"."+f.Name, f.Type)...)
			default:
				list = append(list, fields(path+"."+tag, f.Type)...)
			}
		}
		return list
	}
	return []string{path + " " + t.Kind().String()}
}
