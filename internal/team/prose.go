package team

import (
	"iter"
	"strings"
)

// prose yields where a slash is in a text that the person says themselves, and where
// that part of the text ends: not in a fenced block, not between backquotes, not in a
// quotation.
func prose(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for part := range proseSpans(text) {
			code := inline(text[part.begin:part.end])
			for i := part.begin; i < part.end; i++ {
				if text[i] == '/' && !code[i-part.begin] && !yield(i, part.end) {
					return
				}
			}
		}
	}
}

// A span is a part of a text, in bytes.
type span struct{ begin, end int }

// proseSpans yields the parts of a text between fenced blocks, quotations and empty
// lines: no code that begins with a backquote in one of them goes on in another.
func proseSpans(text string) iter.Seq[span] {
	return func(yield func(span) bool) {
		part, fence := span{}, ""
		for begin := 0; begin < len(text); {
			end := begin + len(text[begin:])
			if i := strings.IndexByte(text[begin:], '\n'); i >= 0 {
				end = begin + i + 1
			}
			line := strings.TrimSpace(text[begin:end])
			apart := true
			switch {
			case fence != "":
				if strings.HasSuffix(line, fence) { // platforms end a block at the end of a line of it, too
					fence = ""
				}
			case strings.HasPrefix(line, ">>>"): // Discord's, up to the end of the message
				yield(part)
				return
			case line == "", strings.HasPrefix(line, ">"):
			default:
				fence = opened(line)
				apart = fence != ""
			}
			if !apart {
				part.end = end
			} else {
				if !yield(part) {
					return
				}
				part = span{end, end}
			}
			begin = end
		}
		yield(part)
	}
}

// opened is the fence that a line begins a block with; empty: none. One that has another
// of its kind behind it, in the same line, is code within a sentence.
func opened(line string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, mark) {
			return line[:n]
		}
	}
	return ""
}

// inline says which bytes of a text are between backquotes: as many as open code close
// it, and what is not closed is none
// (https://spec.commonmark.org/0.31.2/#code-spans).
func inline(text string) []bool {
	code := make([]bool, len(text))
	for i := 0; i < len(text); {
		n := backquotes(text[i:])
		if n == 0 {
			i++
			continue
		}
		end := closing(text, i+n, n)
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

// closing is where code ends that n backquotes before from have opened; -1: it is not
// closed.
func closing(text string, from, n int) int {
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
