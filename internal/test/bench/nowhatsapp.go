//go:build nowhatsapp

package main

import "errors"

func newWhatsApp() (wire, error) {
	return nil, errors.New("this program was built without WhatsApp (the tag nowhatsapp)")
}
