package metrics_test

import (
	"strings"
	"sync"
	"testing"

	"errand/internal/metrics"
)

// TestCounter proves what is written of what was counted by several at once.
func TestCounter(t *testing.T) {
	c := metrics.NewCounter("errand_handovers_total", "from", "to", "cause")
	var out strings.Builder
	if err := c.Write(&out); err != nil || out.Len() > 0 {
		t.Errorf("nothing is written as %q, %v", out.String(), err)
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { c.Add("nikki", "finn", "model") })
	}
	all.Wait()
	c.Add("finn", "nikki", `a"b`)
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := "# TYPE errand_handovers_total counter\n" +
		`errand_handovers_total{from="finn",to="nikki",cause="a\"b"} 1` + "\n" +
		`errand_handovers_total{from="nikki",to="finn",cause="model"} 100` + "\n"
	if out.String() != want {
		t.Errorf("it is written as\n%swant\n%s", out.String(), want)
	}
	var none *metrics.Counter
	none.Add("x")
	if err := none.Write(&out); err != nil {
		t.Error(err)
	}
}
