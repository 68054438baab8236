package texts

import (
	"testing"
	"time"

	"errand/internal/when"
)

// TestSchedule proves what people read of when a reminder comes, in both languages.
func TestSchedule(t *testing.T) {
	catalog, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC) // a Monday
	rule := func(rule string) when.Spec { return when.Spec{Rule: rule, Start: start, Zone: "Europe/Oslo"} }
	tests := []struct {
		spec   when.Spec
		en, es string
	}{
		{when.Spec{At: start, Zone: "Europe/Oslo"}, "Monday, 23 November 2026, 09:00 (Europe/Oslo)", "lunes, 23 de noviembre de 2026, 09:00 (Europe/Oslo)"},
		{when.Spec{At: start.Add(7 * time.Second), Zone: "UTC"}, "Monday, 23 November 2026, 08:00:07 (UTC)", "lunes, 23 de noviembre de 2026, 08:00:07 (UTC)"},
		{rule("FREQ=DAILY;BYHOUR=8;BYMINUTE=0"), "every day at 08:00 (Europe/Oslo)", "cada día a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=DAILY;INTERVAL=3;BYHOUR=8;BYMINUTE=0;COUNT=1"), "every 3 days at 08:00 (Europe/Oslo), once", "cada 3 días a las 08:00 (Europe/Oslo), una vez"},
		{rule("FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0"), "every Monday at 08:00 (Europe/Oslo)", "cada lunes a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=WEEKLY;BYDAY=MO,WE,SA;BYHOUR=8,20;BYMINUTE=0;COUNT=5"), "every Monday, Wednesday and Saturday at 08:00, 20:00 (Europe/Oslo), 5 times", "cada lunes, miércoles y sábado a las 08:00, 20:00 (Europe/Oslo), 5 veces"},
		{rule("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8;BYMINUTE=0"), "every weekday at 08:00 (Europe/Oslo)", "de lunes a viernes a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=8;BYMINUTE=0"), "every other Monday at 08:00 (Europe/Oslo)", "cada dos semanas, lunes a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,TU;BYHOUR=8;BYMINUTE=0"), "every 3 weeks on Monday and Tuesday at 08:00 (Europe/Oslo)", "cada 3 semanas, lunes y martes a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=8;BYMINUTE=0"), "on the last Friday of every month at 08:00 (Europe/Oslo)", "el último viernes de cada mes a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=MONTHLY;BYDAY=3TH;BYHOUR=8;BYMINUTE=0"), "on the 3rd Thursday of every month at 08:00 (Europe/Oslo)", "el tercer jueves de cada mes a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=1;BYHOUR=8;BYMINUTE=0"), "on the 1st of every 2 months at 08:00 (Europe/Oslo)", "el día 1, cada 2 meses, a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=8;BYMINUTE=0"), "on the 31st, where there is one, of every month at 08:00 (Europe/Oslo)", "el día 31, si lo hay, de cada mes a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=8;BYMINUTE=0"), "on the last day of every month at 08:00 (Europe/Oslo)", "el último día de cada mes a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;BYHOUR=8;BYMINUTE=0"), "on the 31st (in shorter months on their last day) of every month at 08:00 (Europe/Oslo)", "el día 31 (en los meses más cortos, el último) de cada mes a las 08:00 (Europe/Oslo)"},
		{rule("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24;BYHOUR=18;BYMINUTE=0"), "every year on 24 December at 18:00 (Europe/Oslo)", "cada año, el 24 de diciembre, a las 18:00 (Europe/Oslo)"},
		{rule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1;BYHOUR=18;BYMINUTE=0"), "every year on 29 February (in years without one, on the 28th) at 18:00 (Europe/Oslo)", "cada año, el 29 de febrero, o el 28 si el año no lo tiene, a las 18:00 (Europe/Oslo)"},
		{rule("FREQ=HOURLY;INTERVAL=2"), "every 2 hours, counted from Monday, 23 November 2026, 09:00", "cada 2 horas, contando desde el lunes, 23 de noviembre de 2026, 09:00"},
		{rule("FREQ=DAILY;BYHOUR=8;BYMINUTE=0;UNTIL=20261224T170000Z"), "every day at 08:00 (Europe/Oslo), until Thursday, 24 December 2026, 18:00", "cada día a las 08:00 (Europe/Oslo), hasta el jueves, 24 de diciembre de 2026, 18:00"},
		{rule("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO"), "by the rule FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO (Europe/Oslo)", "según la regla FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO (Europe/Oslo)"},
	}
	for _, tt := range tests {
		if en, es := Shipped().Schedule(tt.spec), catalog.For("es").Schedule(tt.spec); en != tt.en || es != tt.es {
			t.Errorf("%+v is\n%s\n%s\nwant\n%s\n%s", tt.spec, en, es, tt.en, tt.es)
		}
	}
}
