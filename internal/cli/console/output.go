package console

import (
	"bytes"
	"encoding/json"
	"fmt"

	api "errand/client"
	"errand/internal/printable"
)

// List is what the worker answered with a list; with --json it prints the list as it
// came and reports that nothing is left to do.
func List[T any](c *Console, a api.Answer[[]T], err error) (rows []T, done bool, _ error) {
	return One(c, a, err)
}

// Rows are the rows of a list as they came: with what this version does not know of them.
func (c *Console) Rows(raw json.RawMessage) (rows []json.RawMessage, _ error) {
	if err := json.Unmarshal(raw, &rows); err != nil {
		return nil, c.Errorf("answer not understood (is the worker of another version?): %w", err)
	}
	return rows, nil
}

// NotUnderstood ends a command that the worker has answered otherwise than this version knows.
func (c *Console) NotUnderstood() error {
	return c.Failf("answer not understood (is the worker of another version?)")
}

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

// PrintJSON prints what the worker sent, indented.
func (c *Console) PrintJSON(raw json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Indent(&b, printable.JSON(raw), "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "%s\n", b.Bytes())
	return err
}

// PrintObject prints what a command did, as JSON.
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
		_, err = fmt.Fprintf(c.Out, "%s\n", printable.JSON(raw))
	}
	return err
}

// Field prints one line of what a thing is like, by a name in English; nothing if value is
// empty. It takes text that has been made harmless.
func (c *Console) Field(name, value string) {
	if value != "" {
		fmt.Fprintf(c.Out, "%s %s\n", c.Style.Dim(fmt.Sprintf("%-10s", c.Words.Sayf(name))), value)
	}
}

// PrintTable prints t as wide as the terminal is, its heads and states in the language of who
// reads.
func (c *Console) PrintTable(t *Table) { t.write(c.Out, c.Words, c.Style, c.Width()) }

// PrintTableBesides prints t beside the output, whole and without colours.
func (c *Console) PrintTableBesides(t *Table) { t.write(c.Err, c.Words, false, 0) }

// Price is an amount of US dollars in a column of them, and empty where there is none or
// the model has no price.
func (c *Console) Price(usd float64) string {
	if usd <= 0 {
		return ""
	}
	return c.Money(usd)
}

// Money is an amount of US dollars as people write it; programs get the number.
func (c *Console) Money(usd float64) string {
	switch {
	case usd <= 0:
		return c.Sayf("nothing")
	case usd < 0.01:
		return c.Sayf("less than 1 cent")
	}
	return fmt.Sprintf("$%.2f", usd)
}
