//go:build unix

package reconcile_test

import (
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/internal/store"
	"errand/internal/test/storetest"
)

// BenchmarkPass is what a minute of reconciling costs with ten thousand open tasks: queries
// of the store, calls of Temporal (that answers at once), and CPU of this process.
func BenchmarkPass(b *testing.B) {
	for name, address := range map[string]string{"SQLite": "", "PostgreSQL": os.Getenv("ERRAND_TEST_POSTGRES")} {
		b.Run(name, func(b *testing.B) {
			var queries atomic.Int64
			o := store.Options{Trace: func(string) { queries.Add(1) }}
			if name == "PostgreSQL" {
				if address == "" {
					b.Skip("ERRAND_TEST_POSTGRES is not set")
				}
				o.PostgreSQL = storetest.Schema(b, address)
			}
			s := open(b, 10_000, o)
			f := &temporal{status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, lists: true}
			r := reconciler(b, s, f, "")
			queries.Store(0)
			f.listed.Store(0)
			before := cpu(b)
			for b.Loop() {
				if err := r.Once(b.Context(), time.Now().Add(time.Second)); err != nil {
					b.Fatal(err)
				}
			}
			n := float64(b.N)
			b.ReportMetric((cpu(b)-before).Seconds()*1000/n, "cpu-ms/op")
			b.ReportMetric(float64(queries.Load())/n, "queries/op")
			b.ReportMetric(float64(f.listed.Load()+f.described.Load())/n, "temporal-calls/op")
			b.ReportMetric(float64(f.longest), "longest-query-bytes")
		})
	}
}

func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
