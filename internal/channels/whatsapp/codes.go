package whatsapp

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.mau.fi/util/random"
	"go.mau.fi/whatsmeow"

	"errand/internal/service"
	"errand/internal/texts"
)

// The process that asks for a code and the process that holds the connection may differ. They
// communicate through this table.
const codesTable = `
CREATE TABLE IF NOT EXISTS errand_whatsapp_codes (account TEXT PRIMARY KEY, request TEXT NOT NULL, number TEXT NOT NULL, asked BIGINT NOT NULL,
	code TEXT NOT NULL DEFAULT '', failure TEXT NOT NULL DEFAULT '');`

const (
	codePatience = 20 * time.Second // how long AskCode waits
	codePoll     = 250 * time.Millisecond
	// WhatsApp ends the connection after about this time.
	codeLasts = 160 * time.Second
)

// AskCode returns a code of eight letters. It links an account when a person types it on the phone
// with that number, instead of scanning a QR code. The process that holds the connection requests
// the code from WhatsApp.
func (d *Devices) AskCode(ctx context.Context, account, phone string) (string, error) {
	number, ok := ParseNumber(phone)
	if !ok {
		return "", service.Invalid("phone", "refusal.phone")
	}
	ctx, cancel := context.WithTimeout(ctx, codePatience)
	defer cancel()
	request := fmt.Sprintf("%x", random.Bytes(16))
	_, err := d.db.ExecContext(ctx, d.sql(`INSERT INTO errand_whatsapp_codes (account, request, number, asked) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account) DO UPDATE SET request = excluded.request, number = excluded.number, asked = excluded.asked, code = '', failure = ''`),
		account, request, number, time.Now().Unix())
	if err != nil {
		return "", fmt.Errorf("ask for a code: %w", err)
	}
	code, err := d.awaitCode(ctx, account, request)
	// Keep neither the number nor the code.
	if _, left := d.db.ExecContext(context.WithoutCancel(ctx), d.sql(`DELETE FROM errand_whatsapp_codes WHERE account = $1 AND request = $2`), account, request); left != nil {
		err = errors.Join(err, fmt.Errorf("forget the number and the code: %w", left))
	}
	return code, err
}

func (d *Devices) awaitCode(ctx context.Context, account, request string) (string, error) {
	poll := time.NewTicker(codePoll)
	defer poll.Stop()
	for {
		var code, failure string
		err := d.db.QueryRowContext(ctx, d.sql(`SELECT code, failure FROM errand_whatsapp_codes WHERE account = $1 AND request = $2`), account, request).Scan(&code, &failure)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return "", noCode("refusal.code_replaced")
		case err != nil && ctx.Err() == nil:
			return "", fmt.Errorf("look for a code: %w", err)
		case failure != "":
			return "", noCodeBy(failure)
		case code != "":
			return code, nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return "", noCode("refusal.code_unasked")
		}
	}
}

func noCode(why texts.Key, args ...any) error {
	return service.Refuse(service.KindConflict, "no_code", why, args...)
}

// answerCode answers a pending request for a code, if there is one, and reports whether a code was
// issued.
func (l *line) answerCode(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, codePatience/2)
	defer cancel()
	d, account := l.c.Devices, l.c.Account
	var request, number string
	err := d.db.QueryRowContext(ctx, d.sql(`SELECT request, number FROM errand_whatsapp_codes WHERE account = $1 AND code = '' AND failure = '' AND asked > $2`),
		account, time.Now().Add(-codePatience).Unix()).Scan(&request, &number)
	if err != nil {
		if !errors.Is(err, sql.ErrNoRows) && ctx.Err() == nil {
			l.c.Logger.Warn("cannot read whether somebody asks for a code", "error", err)
		}
		return false
	}
	failure := ""
	code, err := l.client.PairPhone(ctx, number, true, whatsmeow.PairClientChrome, "Chrome (Linux)")
	if err != nil {
		failure = whyNoCode(err)
	}
	if _, err := d.db.ExecContext(ctx, d.sql(`UPDATE errand_whatsapp_codes SET code = $1, failure = $2 WHERE account = $3 AND request = $4`), code, failure, account, request); err != nil {
		l.c.Logger.Warn("cannot store a code", "error", err)
	}
	return code != ""
}

// unanswered is the failure if WhatsApp returned no error code.
const unanswered = "unanswered"

// whyNoCode returns a text without the phone number.
func whyNoCode(err error) string {
	var iq *whatsmeow.IQError
	if !errors.As(err, &iq) {
		return unanswered
	}
	return strconv.Itoa(iq.Code)
}

func noCodeBy(failure string) error {
	switch failure {
	case unanswered:
		return noCode("refusal.code_unanswered")
	case "429":
		return noCode("refusal.code_limit", "code", failure)
	}
	return noCode("refusal.code_number", "code", failure)
}
