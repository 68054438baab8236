package commands_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/test/intaketest"
	"errand/internal/test/servicetest"
)

// TestBadTimes is what people read, in their language, of a time for a reminder that
// cannot be used, and what a model does.
func TestBadTimes(t *testing.T) {
	h := build(t, func(d *intaketest.Deps) { d.Zone = time.UTC })
	tests := []struct{ when, en, es string }{
		{"when the cows come home", "I don't understand “when the cows come home” as a time. Write it like this: “tomorrow at 9”, “every monday at 8:30”, “2026-12-24T18:00”", "No entiendo «when the cows come home» como una hora. Escríbelo así: «mañana a las 9», «cada lunes a las 8:30», «2026-12-24T18:00»"},
		{"2020-01-01 10:00", "Wed 1 Jan 2020, 10:00 is in the past: it is now Sat 21 Nov", "mié 1 ene 2020, 10:00 ya pasó: ahora es sáb 21 nov"},
		{"FREQ=SECONDLY", "That is too often: at most every 5 minutes.", "Eso es demasiado a menudo: como mucho cada 5 minutos."},
		{"2080-01-01 10:00", "Mon 1 Jan 2080, 10:00 is more than 5 years ahead.", "Para el lun 1 ene 2080, 10:00 faltan más de 5 años."},
		{"DTSTART;TZID=Europe/Olso:20261224T180000 FREQ=DAILY", "I don't know the time zone “Europe/Olso”.", "No conozco la zona horaria «Europe/Olso»."},
		{strings.Repeat("tomorrow ", 100), "I can't read that as a time. Write it like this:", "No puedo leer eso como una hora. Escríbelo así:"},
	}
	for _, tt := range tests {
		for language, want := range map[string]string{"en": tt.en, "es": tt.es} {
			_, err := servicetest.Remind(t.Context(), h.Service, actor.Actor{Person: "partner", Role: core.Partner, Language: language}, "main", tt.when, "tea")
			var e *service.Error
			if !errors.As(err, &e) || e.Code != "when" || e.Kind != service.KindInvalid || !strings.HasPrefix(e.Message, want) {
				t.Errorf("%q in %s: %v, want %q", tt.when, language, err, want)
			}
		}
	}
	by := actor.Actor{Person: "partner", Role: core.Partner, Here: core.NewSessionKey(core.WebRoute("main"), "partner")}.WithTool("remind_me", "nikki")
	_, err := ops.Do(t.Context(), h.Runner, api.CreateReminderByTool, by, api.CreateReminderByToolInput{Rule: "FREQ=SECONDLY", Text: "tea"})
	var e *service.Error
	if !errors.As(err, &e) || e.Message != "That is too often: at most every 5 minutes." {
		t.Errorf("a model reads %v", err)
	}
}
