package console

import (
	"bytes"
	"encoding/json"
	"fmt"

	"errand/api"
)

// List handles the answer to a request for a list. With --json it prints the list
// unchanged, and done is true.
func List[T any](c *Console, a api.Answer[[]T], err error) (rows []T, done bool, _ error) {
	return One(c, a, err)
}

// Page is List for one page of a list.
func Page[T any](c *Console, a api.Answer[api.List[T]], err error) (rows []T, done bool, _ error) {
	list, done, err := One(c, a, err)
	return list.Items, done, err
}

// Rows returns the unchanged rows of a list, including fields that this version does not know.
func Rows(raw json.RawMessage) (rows []json.RawMessage, _ error) {
	if err := json.Unmarshal(raw, &rows); err != nil {
		return nil, fmt.Errorf("read the worker's answer (is it another version of errand?): %w", err)
	}
	return rows, nil
}

// ErrNotUnderstood means that the worker has answered in a form that this version does not know.
var ErrNotUnderstood = Failf("cannot read the worker's answer (is it another version of errand?)")

// One is List for a single object.
func One[T any](c *Console, a api.Answer[T], err error) (row T, done bool, _ error) {
	if err != nil {
		return row, false, err
	}
	if c.JSON {
		return a.Value, true, c.PrintJSON(a.Raw)
	}
	return a.Value, false, nil
}

// PrintJSON prints JSON from the worker, indented.
func (c *Console) PrintJSON(raw json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Indent(&b, JSON(raw), "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "%s\n", b.Bytes())
	return err
}

// PrintObject prints the result of a command as JSON.
func (c *Console) PrintObject(what any) error {
	raw, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return c.PrintJSON(raw)
}

// PrintJSONLine prints one object on one line.
func (c *Console) PrintJSONLine(what any) error {
	raw, err := json.Marshal(what)
	if err == nil {
		_, err = fmt.Fprintf(c.Out, "%s\n", JSON(raw))
	}
	return err
}

// Field prints a line with a name and a value; nothing if value is empty. The value must
// be safe to print.
func (c *Console) Field(name, value string) {
	if value != "" {
		fmt.Fprintf(c.Out, "%s %s\n", c.Style.Dim(fmt.Sprintf("%-10s", name)), value)
	}
}

// PrintTable prints t in the width of the terminal.
func (c *Console) PrintTable(t *Table) { t.write(c.Out, c.Style, c.Width()) }

// PrintTableBesides prints t to Err, uncut and without colours.
func (c *Console) PrintTableBesides(t *Table) { t.write(c.Err, false, 0) }

// Price returns an amount of US dollars for a table column, or "" if it is zero or the
// model has no price.
func (c *Console) Price(usd float64) string {
	if usd <= 0 {
		return ""
	}
	return c.Money(usd)
}

// Money returns an amount of US dollars for people.
func (c *Console) Money(usd float64) string {
	switch {
	case usd <= 0:
		return "nothing"
	case usd < 0.01:
		return "less than 1 cent"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Plural returns one if n is 1, and otherwise many formatted with n.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}
