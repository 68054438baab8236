package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/store"
)

// TestListsOfOtherWorkers proves that who looks at their tasks on one worker is told of
// what another one does with them.
func TestListsOfOtherWorkers(t *testing.T) {
	address := schema(t)
	here, there := openAt(t, store.Options{PostgreSQL: address}), openAt(t, store.Options{PostgreSQL: address})
	require.Eventually(t, func() bool { return here.Bus().Live() && there.Bus().Live() }, 20*time.Second, 20*time.Millisecond)
	changed, cancel := here.Bus().SubscribeLists("ada")
	defer cancel()
	_, err := there.EnsurePerson(t.Context(), "ada", "Ada", core.Member)
	require.NoError(t, err)
	_, err = there.CreateTask(t.Context(), core.Origin{Person: "ada", Role: core.Member}, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "trains"}, "")
	require.NoError(t, err)
	select {
	case lists := <-changed:
		require.NotZero(t, lists&events.Tasks)
	case <-time.After(20 * time.Second):
		t.Error("nothing was told")
	}
}
