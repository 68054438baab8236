package devserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// SearchAttributes returns the names and types of errand's search attributes. A workflow with an
// unregistered attribute does not start.
func SearchAttributes() map[string]enums.IndexedValueType {
	return map[string]enums.IndexedValueType{
		"ErrandAgent":   enums.INDEXED_VALUE_TYPE_KEYWORD,
		"ErrandChannel": enums.INDEXED_VALUE_TYPE_KEYWORD,
		"ErrandSession": enums.INDEXED_VALUE_TYPE_KEYWORD,
		"ErrandState":   enums.INDEXED_VALUE_TYPE_KEYWORD,
		"ErrandTitle":   enums.INDEXED_VALUE_TYPE_KEYWORD,
		"ErrandDepth":   enums.INDEXED_VALUE_TYPE_INT,
	}
}

// A SearchAttributesError reports missing search attributes that errand may not add.
type SearchAttributesError struct {
	Namespace string
	Missing   []string // sorted
	Err       error    // what the server said
}

func (e *SearchAttributesError) Error() string {
	return fmt.Sprintf("add search attributes %s to namespace %q: %v; ask somebody who may to run:\n%s",
		strings.Join(e.Missing, ", "), e.Namespace, e.Err, strings.Join(e.Commands(), "\n"))
}

func (e *SearchAttributesError) Unwrap() error { return e.Err }

// Commands returns the commands that add the missing attributes, one each.
func (e *SearchAttributesError) Commands() []string {
	var commands []string
	for _, name := range e.Missing {
		commands = append(commands, fmt.Sprintf("temporal operator search-attribute create --namespace %s --name %s --type %s",
			e.Namespace, name, SearchAttributes()[name]))
	}
	return commands
}

// EnsureSearchAttributes adds errand's missing search attributes to a namespace of any Temporal
// cluster. It returns when they are usable, which may take some seconds. Several processes may call
// it at every start. Without permission it returns a [*SearchAttributesError]; errand then runs
// without search attributes.
func EnsureSearchAttributes(ctx context.Context, c client.Client, namespace string) error {
	existing, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if isRefusal(err) {
		// Without permission to list them, a query still shows whether they exist.
		if probeErr := probeSearchAttributes(ctx, c, namespace); probeErr == nil {
			return nil
		}
		return &SearchAttributesError{Namespace: namespace, Missing: slices.Sorted(maps.Keys(SearchAttributes())), Err: err}
	}
	if err != nil {
		return fmt.Errorf("list search attributes of namespace %q: %w", namespace, err)
	}
	missing, err := missingFrom(existing.GetCustomAttributes())
	if err != nil {
		return fmt.Errorf("namespace %q: %w", namespace, err)
	}
	if len(missing) > 0 {
		if err := add(ctx, c, namespace, missing); err != nil {
			return err
		}
	}
	return awaitSearchAttributes(ctx, c, namespace)
}

func missingFrom(existing map[string]enums.IndexedValueType) (map[string]enums.IndexedValueType, error) {
	missing := map[string]enums.IndexedValueType{}
	for name, want := range SearchAttributes() {
		switch have, ok := existing[name]; {
		case !ok:
			missing[name] = want
		case have != want:
			return nil, fmt.Errorf("search attribute %s has type %s, errand needs %s: remove or rename it", name, have, want)
		}
	}
	return missing, nil
}

func add(ctx context.Context, c client.Client, namespace string, missing map[string]enums.IndexedValueType) error {
	_, err := c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace:        namespace,
		SearchAttributes: missing,
	})
	var exists *serviceerror.AlreadyExists
	switch {
	case errors.As(err, &exists): // another process was faster
		return nil
	case isRefusal(err):
		return &SearchAttributesError{Namespace: namespace, Missing: slices.Sorted(maps.Keys(missing)), Err: err}
	case err != nil:
		return fmt.Errorf("add search attributes to namespace %q: %w", namespace, err)
	}
	return nil
}

// awaitSearchAttributes waits for the frontend, which refreshes namespaces at intervals.
func awaitSearchAttributes(ctx context.Context, c client.Client, namespace string) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := probeSearchAttributes(ctx, c, namespace)
		if err == nil {
			return nil
		}
		var unknown *serviceerror.InvalidArgument
		if !errors.As(err, &unknown) {
			return fmt.Errorf("use search attributes of namespace %q: %w", namespace, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for search attributes of namespace %q: %w: %v", namespace, ctx.Err(), unknown)
		case <-tick.C:
		}
	}
}

func probeSearchAttributes(ctx context.Context, c client.Client, namespace string) error {
	var terms []string
	for name, kind := range SearchAttributes() {
		value := `"-"`
		if kind == enums.INDEXED_VALUE_TYPE_INT {
			value = "-1"
		}
		terms = append(terms, name+" = "+value)
	}
	_, err := c.WorkflowService().CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: namespace,
		Query:     strings.Join(terms, " AND "),
	})
	return err
}

func isRefusal(err error) bool {
	var denied *serviceerror.PermissionDenied
	var absent *serviceerror.Unimplemented
	return errors.As(err, &denied) || errors.As(err, &absent)
}
