package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"errand/internal/content"
	"errand/internal/core"
)

const (
	maxCompared  = 1_000_000 // bytes of each version
	maxDifferent = 400       // lines of each version that are compared one by one
	maxDiff      = 3_000     // characters in the result
	aroundDiff   = 2         // unchanged lines around a change
)

// diff compares two versions as diff -u does. If they are too long, it only says where
// they differ.
func (w workspace) diff(ctx context.Context, from, to core.File) (string, error) {
	if from.Size > maxCompared || to.Size > maxCompared {
		return fmt.Sprintf("(the file is too large to compare: %s before, %s now. Read it again)", content.Size(from.Size), content.Size(to.Size)), nil
	}
	before, err := w.lines(ctx, from)
	if err != nil {
		return "", err
	}
	after, err := w.lines(ctx, to)
	if err != nil {
		return "", err
	}
	return diffLines(before, after), nil
}

func (w workspace) lines(ctx context.Context, f core.File) ([]string, error) {
	data, err := io.ReadAll(w.store.OpenFile(ctx, f))
	if err != nil {
		return nil, err
	}
	text, _ := content.Part(data[:min(3, len(data))], data, 0, true)
	return strings.Split(text, "\n"), nil
}

func diffLines(before, after []string) string {
	start := 0
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < len(before)-start && end < len(after)-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	old, new := before[start:len(before)-end], after[start:len(after)-end]
	if len(old) == 0 && len(new) == 0 {
		return "(nothing: both have the same lines)"
	}
	if len(old) > maxDifferent || len(new) > maxDifferent {
		return fmt.Sprintf("(lines %d to %d of yours are lines %d to %d now, and too many to show: read them)", start+1, start+len(old), start+1, start+len(new))
	}
	var b strings.Builder
	from := max(start-aroundDiff, 0)
	fmt.Fprintf(&b, "@@ line %d @@\n", from+1)
	for _, line := range before[from:start] {
		b.WriteString(" " + cutLine(line) + "\n")
	}
	for _, line := range compare(old, new) {
		b.WriteString(cutLine(line) + "\n")
		if b.Len() > maxDiff {
			b.WriteString("(and more: read the file again)\n")
			return b.String()
		}
	}
	for _, line := range before[len(before)-end : min(len(before)-end+aroundDiff, len(before))] {
		b.WriteString(" " + cutLine(line) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cutLine shortens a line, so that it does not crowd out the others.
func cutLine(line string) string {
	const longest = 300
	if len(line) <= longest {
		return line
	}
	return string(bytes.ToValidUTF8([]byte(line[:longest]), nil)) + " …"
}

func compare(old, new []string) []string {
	longest := make([][]int, len(old)+1)
	for i := range longest {
		longest[i] = make([]int, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if old[i] == new[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var marked []string
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		switch {
		case i < len(old) && j < len(new) && old[i] == new[j]:
			marked = append(marked, " "+old[i])
			i, j = i+1, j+1
		case j == len(new) || i < len(old) && longest[i+1][j] >= longest[i][j+1]:
			marked = append(marked, "-"+old[i])
			i++
		default:
			marked = append(marked, "+"+new[j])
			j++
		}
	}
	return marked
}
