package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"errand/internal/fetch"
	"errand/internal/sandbox"
	"errand/internal/store"
	"errand/internal/tools/web"
)

// webPages measures what web_fetch adds to the transfer of a page of a megabyte, from
// a server in this process: its processor time is in that of both.
func webPages(ctx context.Context, o Options) error {
	const sentence = "The night train leaves at 19:52, and it arrives at 09:40 in the morning, which is late for a meeting. "
	body := []byte("<!doctype html><title>A long page</title><body><article><h1>A long page</h1>" + strings.Repeat("<p>"+sentence+sentence+"</p>\n", 1<<20/(2*len(sentence)+8)) + "</article>")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(body) // who left needs no answer
	}))
	defer server.Close()
	client, err := fetch.New(fetch.Options{Allow: []string{strings.TrimPrefix(server.URL, "http://")}})
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	program, err := os.Executable() // it is errand, which reads pages in a process of its own
	if err != nil {
		return err
	}
	rounds := min(o.Rounds, 20)
	var transfers, wholes cost
	for range rounds {
		err := transfers.one(func() error {
			_, err := client.Get(ctx, server.URL, nil)
			return err
		})
		if err != nil {
			return err
		}
		tools := web.Tools(web.Options{Client: client, HTML: sandbox.NewDocumentReader(program, sandbox.ReadHTML)}) // made anew: pages are kept
		err = wholes.one(func() error {
			text, err := tools[0].Run(ctx, store.Call{}, fmt.Appendf(nil, `{"url": %q}`, server.URL))
			if err == nil && len(text) < len(body)/2 {
				err = errors.New("web_fetch of a megabyte: " + text[:min(len(text), 200)])
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(o.Out, "\n%-42s %10s %10s %10s   (%d rounds)\n", "a page of 1 MB", "p50", "p95", "CPU", rounds)
	for _, of := range []struct {
		name string
		cost
	}{{"web_fetch", wholes}, {"its transfer alone", transfers}} {
		fmt.Fprintf(o.Out, "%-42s %10s %10s %10s\n", of.name, ms(quantile(of.took, 0.5)), ms(quantile(of.took, 0.95)), ms(of.perTurn()))
	}
	return nil
}
