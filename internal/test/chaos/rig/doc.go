// Package rig starts what many workers of errand need, so that it can be killed and
// stopped: a PostgreSQL cluster, the real Temporal server on it, and processes that are
// started again when they end. It has a model's provider, too, that counts its calls.
package rig
