// Package attack has tests only: they start one whole installation and attack it
// as a stranger, a guest, a member and a neighbour on the same machine would.
// What somebody got away with once is a case here.
package attack
