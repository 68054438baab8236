package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/fetch"
	"errand/internal/store"
	"errand/internal/tools"
)

type fetchedPage struct {
	Page
	address string
	runes   int // length of Text
}

func (w *web) fetch(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := tools.Parse[struct {
		URL  string  `json:"url"`
		From float64 `json:"from"`
	}](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	u, err := fetch.ParseURL(in.URL)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	page, known := w.pages.get(u.String())
	if !known {
		if page, err = w.read(ctx, u.String()); err != nil {
			return failed(ctx, err)
		}
		w.pages.put(u.String(), page, len(page.Text))
	}
	from := int(max(in.From, 0))
	if from > 0 && from >= page.runes {
		return fmt.Sprintf("error: the page has %d characters: there is nothing from %d on", page.runes, from), nil
	}
	return page.show(call.Nonce, from), nil
}

func (w *web) read(ctx context.Context, address string) (fetchedPage, error) {
	page, shipped := w.Shipped[strings.TrimSuffix(address, "/")]
	if !shipped {
		resp, err := w.Client.Get(ctx, address, http.Header{
			"Accept":          {"text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, application/pdf;q=0.8, */*;q=0.5"},
			"Accept-Language": {"*"},
		})
		if err != nil {
			return fetchedPage{}, err
		}
		if page, err = w.document(ctx, resp); err != nil {
			return fetchedPage{}, err
		}
		address = resp.URL.String()
	}
	page.Text = clean(page.Text)
	return fetchedPage{Page: page, address: address, runes: utf8.RuneCountInString(page.Text)}, nil
}

// show puts address and title first, because the text may be cut.
func (p fetchedPage) show(n core.Nonce, from int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Title: %s\nAddress: %s\n", plain(p.Title, longestTitle), p.address)
	if p.Date != "" {
		fmt.Fprintf(&b, "Date: %s\n", p.Date)
	}
	text := p.Text
	if from > 0 {
		fmt.Fprintf(&b, "From character %d of %d\n", from, p.runes)
		text = skip(text, from)
	}
	b.WriteString("\n" + text)
	out := n.Block("web", b.String())
	if p.Note != "" {
		out += "\n" + n.Mark(p.Note)
	}
	return out
}

func skip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[i:]
		}
		n--
	}
	return ""
}

func clean(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || content.IsShapeless(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n")))
}
