package gateway

import (
	"context"

	"errand/internal/store"
)

// A Cursor is how far the messages of a chat have come in.
type Cursor = store.Cursor

// Cursors returns how far each chat of an account has come in, see
// [store.Store.Cursors].
func (g *Gateway) Cursors(ctx context.Context, channel, account string) ([]Cursor, error) {
	return g.Store.Cursors(ctx, channel, account)
}
