package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

// listFive answers listDeliveries with five deliveries, page by page.
func listFive(_ context.Context, _ actor.Actor, in api.ListDeliveriesInput) (out api.List[core.Notification], err error) {
	after, err := service.ParseCursor(api.ListDeliveries.Name, in.After.After)
	last := int64(6)
	if after != nil {
		last, _ = strconv.ParseInt(after[0], 10, 64)
	}
	for id := last - 1; id > 0 && len(out.Items) < in.Limit; id-- {
		out.Items = append(out.Items, core.Notification{ID: id})
	}
	if n := len(out.Items); n == in.Limit {
		out.Next = service.Cursor(api.ListDeliveries.Name, service.Position{strconv.FormatInt(out.Items[n-1].ID, 10)})
	}
	return out, err
}

// TestPages proves that a program reads a list page by page, by what each page says of the
// next, and that a place in a list is told from anything else.
func TestPages(t *testing.T) {
	server := serve(t, &memory{}, func(o *Options) { ops.Bind(o.Runner, api.ListDeliveries, listFive) })
	c := &api.Client{Base: server.URL, Token: testKey}
	for limit, pages := range map[int]int{1: 6, 2: 3, 4: 2, 5: 2, 200: 1} {
		var read []int64
		in := api.ListDeliveriesInput{Limit: limit}
		for range pages {
			page, err := api.Call(t.Context(), c, api.ListDeliveries, in)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range page.Value.Items {
				read = append(read, d.ID)
			}
			in.After.After = page.Next
		}
		if !slices.Equal(read, []int64{5, 4, 3, 2, 1}) || in.After.After != "" {
			t.Errorf("in pages of %d it is read as %v, and then comes %q", limit, read, in.After.After)
		}
	}
	first := exchange(t, server, http.MethodGet, "/api/outbox?state=sent&limit=2", "", nil)
	first.Body.Close()
	next, about, _ := strings.Cut(strings.TrimPrefix(first.Header.Get("Link"), "<"), ">")
	if !strings.HasPrefix(next, "?after=") || !strings.Contains(next, "state=sent") || about != `; rel="next"` {
		t.Fatalf("the next page is %q", first.Header.Get("Link"))
	}
	if status, answer := request(t, server, http.MethodGet, "/api/outbox"+next, "", nil); status != http.StatusOK || !strings.Contains(answer, `"id":3`) {
		t.Errorf("the next page is answered %d %s", status, answer)
	}
	for _, other := range []string{"/api/hooks" + next, "/api/outbox?after=x", "/api/outbox?after=" + strings.Repeat("W", 5000), "/api/outbox?after=W10", "/api/outbox?after=bnVsbA"} {
		if status, answer := request(t, server, http.MethodGet, other, "", nil); status != http.StatusBadRequest || !strings.Contains(answer, "urn:errand:problem:after") {
			t.Errorf("%s is answered %d %s", core.Cut(other, 60), status, answer)
		}
	}
}
