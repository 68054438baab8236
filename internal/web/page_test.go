package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"errand"
	"errand/client"
	"errand/internal/service"
)

type shelf struct{ *memory }

func (shelf) Outbox(_ context.Context, _ service.Actor, _ []errand.OutboxState, p service.Page) (list []errand.Notification, err error) {
	last := int64(6)
	if p.After != nil {
		if last, err = strconv.ParseInt(p.After[0], 10, 64); err != nil {
			return nil, err
		}
	}
	for id := last - 1; id > 0 && len(list) < p.Limit; id-- {
		list = append(list, errand.Notification{ID: id})
	}
	return list, nil
}

// TestPages proves that a program reads a list page by page, by what each page says of the
// next, and that a place in a list is told from anything else.
func TestPages(t *testing.T) {
	server := serve(t, &memory{}, func(o *Options) { o.Backend = shelf{o.Backend.(*memory)} })
	c := &client.Client{Base: server.URL, Token: testKey}
	for limit, pages := range map[int]int{1: 6, 2: 3, 4: 2, 5: 2, 200: 1} {
		var read []int64
		p := &client.ListDeliveriesParams{Limit: limit}
		for range pages {
			page, err := c.ListDeliveries(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range page.Value {
				read = append(read, d.ID)
			}
			p.After = page.Next
		}
		if !slices.Equal(read, []int64{5, 4, 3, 2, 1}) || p.After != "" {
			t.Errorf("in pages of %d it is read as %v, and then comes %q", limit, read, p.After)
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
			t.Errorf("%s is answered %d %s", errand.Cut(other, 60), status, answer)
		}
	}
}
