//go:build race

package whatsapp_test

func init() { racing = true }
