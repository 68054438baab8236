package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// list decodes an array; with --json it prints the array as it came and
// reports that nothing is left to do.
func list[T any](c *cli, raw json.RawMessage, err error) (rows []T, done bool, _ error) {
	if err != nil {
		return nil, false, err
	}
	if rows, err = decoded[[]T](raw); err != nil {
		return nil, false, err
	}
	if c.json {
		return nil, true, c.printJSON(raw)
	}
	return rows, false, nil
}

// decoded is what raw says.
func decoded[T any](raw json.RawMessage) (v T, _ error) {
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("answer not understood (is the worker of another version?): %w", err)
	}
	return v, nil
}

func notUnderstood() error {
	return failf("answer not understood (is the worker of another version?)")
}

// one is list for a single object.
func one[T any](c *cli, raw json.RawMessage, err error) (row T, done bool, _ error) {
	if err != nil {
		return row, false, err
	}
	if row, err = decoded[T](raw); err != nil {
		return row, false, err
	}
	if c.json {
		return row, true, c.printJSON(raw)
	}
	return row, false, nil
}

// printJSON prints what the worker sent, indented.
func (c *cli) printJSON(raw json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Indent(&b, cleanJSON(raw), "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.out, "%s\n", b.Bytes())
	return err
}
