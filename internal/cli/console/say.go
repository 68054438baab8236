package console

import "fmt"

// Sayf is a sentence, a format of package fmt, in the language of who reads.
func (c *Console) Sayf(format string, args ...any) string { return c.Words.Sayf(format, args...) }

// Printlnf prints a sentence, as [Console.Sayf] has it, and ends the line.
func (c *Console) Printlnf(format string, args ...any) {
	fmt.Fprintln(c.Out, c.Sayf(format, args...))
}

// Failf ends a command with a sentence: the thing itself failed.
func (c *Console) Failf(format string, args ...any) error {
	return &Failure{ExitFailed, c.Sayf(format, args...)}
}

// Misusef ends a command with a sentence: the command line was not understood.
func (c *Console) Misusef(format string, args ...any) error {
	return &Failure{ExitUsage, c.Sayf(format, args...)}
}

// Errorf is an error in the language of who reads, which may wrap another.
func (c *Console) Errorf(format string, args ...any) error {
	return c.Words.Errorf(format, args...)
}

// Plural counts things by a sentence for one and a format for any other number.
func (c *Console) Plural(n int, one, many string) string {
	if n == 1 {
		return c.Sayf(one)
	}
	return c.Sayf(many, n)
}
