package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ops"
)

// pagesAlone measures errand's pages, on an installation of their own: in a browser what the
// chat weighs, when it is there and how it draws while an answer comes; and pages of the
// list of tasks.
func pagesAlone(ctx context.Context, o Options) error {
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "data", "errand.db")
	if err := seedPages(ctx, file); err != nil {
		return err
	}
	model := &instant{mayReport: make(chan struct{})}
	a, err := start(ctx, dir, o, model)
	if err != nil {
		return err
	}
	defer a.Stop(context.WithoutCancel(ctx))
	p := &pages{Options: o, app: a, model: model, base: "http://" + a.Address, musts: &musts{}}
	if p.raw, err = sql.Open("sqlite", "file:"+file+"?_pragma=query_only(1)"); err != nil {
		return err
	}
	defer p.raw.Close()
	if p.cookie, err = p.logIn(ctx); err != nil {
		return err
	}
	if err := p.tasks(ctx); err != nil {
		return err
	}
	if err := p.inBrowser(ctx); err != nil {
		return err
	}
	return p.musts.err(o.Strict)
}

type pages struct {
	Options
	app    *app.App
	model  *instant
	base   string
	raw    *sql.DB // the store, without errand
	cookie *http.Cookie
	musts  *musts
}

func (p *pages) logIn(ctx context.Context) (*http.Cookie, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+"/login", strings.NewReader(url.Values{"token": {p.app.Key()}}.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	for _, c := range resp.Cookies() {
		return c, nil
	}
	return nil, errors.New("logged in, and there is no cookie")
}

// pageOfTasks is how many tasks the page shows at once.
const pageOfTasks = 100

// tasks measures the list of tasks page by page to its end, by the service and over HTTP
// as the page asks for it, each beside a query of the rows alone.
func (p *pages) tasks(ctx context.Context) error {
	by := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}
	owner, first := program{Token: p.app.Key()}, fmt.Sprint("?tree=true&limit=", pageOfTasks)
	floor, err := walk("", func(at string) (string, error) {
		if len(at) >= seedTasks/pageOfTasks {
			return "", nil
		}
		return at + "|", p.rows(ctx)
	})
	if err != nil {
		return err
	}
	inside, err := walk("", func(after string) (string, error) {
		list, err := ops.Do(ctx, p.app.Service.Runner, api.ListTasks, by, api.ListTasksInput{Limit: pageOfTasks, Tree: true, After: api.After{After: after}})
		return list.Next, err
	})
	if err != nil {
		return err
	}
	wire, err := walk(first, func(query string) (string, error) { return owner.page(ctx, p.base+"/api/tasks", query) })
	if err != nil {
		return err
	}
	if len(wire.took) < seedTasks/pageOfTasks || len(inside.took) < seedTasks/pageOfTasks {
		return fmt.Errorf("%d tasks were listed in only %d and %d pages", seedTasks, len(inside.took), len(wire.took))
	}
	fmt.Fprintf(p.Out, "\n%-58s %10s %10s %10s %10s   (%d pages)\n", fmt.Sprintf("a page of %d of %d tasks", pageOfTasks, seedTasks), "p50", "p95", "longest", "CPU", len(wire.took))
	for _, l := range []struct {
		name string
		cost
	}{{"SELECT of as many rows alone", floor}, {"trees, by the service", inside}, {"trees, over HTTP", wire}} {
		fmt.Fprintf(p.Out, "%-58s %10s %10s %10s %10s\n", l.name, ms(quantile(l.took, 0.5)), ms(quantile(l.took, 0.95)), ms(quantile(l.took, 1)), ms(l.cpu/time.Duration(len(l.took))))
	}
	p.musts.hold(quantile(wire.took, 0.95) <= 50*time.Millisecond, "a page of tasks takes %s in 95 of 100, and must 50 ms at most", ms(quantile(wire.took, 0.95)))
	_, err = fmt.Fprintln(p.Out, "  must: p95 ≤ 50 ms")
	return err
}

// walk measures each page of a list, up to the last.
func walk(first string, page func(at string) (next string, err error)) (c cost, err error) {
	before, err := processorTime()
	if err != nil {
		return c, err
	}
	for at, more := first, true; more; more = at != "" {
		took, err := timed(func() (err error) {
			at, err = page(at)
			return err
		})
		if err != nil {
			return c, err
		}
		c.took = append(c.took, took)
	}
	now, err := processorTime()
	c.cpu = now - before
	return c, err
}

func (p *pages) rows(ctx context.Context) error {
	rows, err := p.raw.QueryContext(ctx, `SELECT * FROM tasks ORDER BY created DESC LIMIT ?`, pageOfTasks)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
	}
	return rows.Err()
}
