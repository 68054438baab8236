package core

import (
	"iter"
	"strings"
)

// prose yields the position of each slash in a person's own words, outside of code and quotations,
// and the end of that part of the text.
func prose(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for part := range proseSpans(text) {
			code := inlineCode(text[part.begin:part.end])
			for i := part.begin; i < part.end; i++ {
				if text[i] == '/' && !code[i-part.begin] && !yield(i, part.end) {
					return
				}
			}
		}
	}
}

// A proseSpan is a part of a text, in byte offsets.
type proseSpan struct{ begin, end int }

// proseSpans yields the parts between fenced blocks, quotations and empty lines. Inline code does
// not extend across these.
func proseSpans(text string) iter.Seq[proseSpan] {
	return func(yield func(proseSpan) bool) {
		part, fence := proseSpan{}, ""
		for begin := 0; begin < len(text); {
			end := begin + len(text[begin:])
			if i := strings.IndexByte(text[begin:], '\n'); i >= 0 {
				end = begin + i + 1
			}
			line := strings.TrimSpace(text[begin:end])
			apart := true
			switch {
			case fence != "":
				if strings.HasSuffix(line, fence) { // platforms also end a block at the end of one of its lines
					fence = ""
				}
			case strings.HasPrefix(line, ">>>"): // a quotation in Discord, up to the end of the message
				yield(part)
				return
			case line == "", strings.HasPrefix(line, ">"):
			default:
				fence = openedFence(line)
				apart = fence != ""
			}
			if !apart {
				part.end = end
			} else {
				if !yield(part) {
					return
				}
				part = proseSpan{end, end}
			}
			begin = end
		}
		yield(part)
	}
}

// openedFence returns the fence that starts a block on this line; empty: none. A fence that is
// closed on the same line is inline code.
func openedFence(line string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, mark) {
			return line[:n]
		}
	}
	return ""
}

// inlineCode reports which bytes are inline code. The same number of backticks opens and closes it,
// and unclosed ones are text (https://spec.commonmark.org/0.31.2/#code-spans).
func inlineCode(text string) []bool {
	code := make([]bool, len(text))
	for i := 0; i < len(text); {
		n := backquotes(text[i:])
		if n == 0 {
			i++
			continue
		}
		end := closingQuotes(text, i+n, n)
		if end < 0 {
			i += n
			continue
		}
		for ; i < end; i++ {
			code[i] = true
		}
	}
	return code
}

func closingQuotes(text string, from, n int) int {
	for i := from; i < len(text); {
		switch m := backquotes(text[i:]); m {
		case 0:
			i++
		case n:
			return i + m
		default:
			i += m
		}
	}
	return -1
}

func backquotes(text string) int { return len(text) - len(strings.TrimLeft(text, "`")) }
