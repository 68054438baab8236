package store

import "errand"

// nonce returns the nonce of a step, and draws it for a session or task that was
// begun before there were any.
func (b *beginning) nonce(n errand.Nonce) (errand.Nonce, error) {
	if n != "" {
		return n, nil
	}
	n = errand.NewNonce()
	var err error
	if id, _, ok := b.key.Owner.Task(); ok {
		_, err = b.exec(`UPDATE tasks SET nonce = ? WHERE id = ?`, n, id)
	} else {
		_, err = b.exec(`UPDATE sessions SET nonce = ? WHERE id = ?`, n, b.key.Owner)
	}
	return n, err
}

// nonceOf returns the nonce of a transcript.
func (t *tx) nonceOf(owner errand.Owner) (n errand.Nonce, err error) {
	if id, _, ok := owner.Task(); ok {
		_, err = t.value(&n, `SELECT nonce FROM tasks WHERE id = ?`, id)
	} else {
		_, err = t.value(&n, `SELECT nonce FROM sessions WHERE id = ?`, owner)
	}
	return n, err
}
