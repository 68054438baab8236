package config

// Questions configures when a question expires, and when errand sends reminders.
type Questions struct {
	ExpireAfter Age   `yaml:"expire_after"`                      // After this time a question expires.
	RemindAfter []Age `yaml:"remind_after" least:"1m" most:"10"` // When to remind, counted from the question; []: never.
}

func (l *loader) questions() {
	q, p := &l.cfg.Questions, at("questions")
	if q.ExpireAfter == 0 {
		l.fault(p.at("expire_after"), "questions have to expire: write for example 7d")
	}
	if !l.has(p.at("remind_after")) {
		q.RemindAfter = defaultSettings().Questions.RemindAfter
	}
	before := Age(0)
	for i, d := range q.RemindAfter {
		if d <= before {
			item := p.at("remind_after", i)
			l.fault(item, "%s is not later than the time before it", l.get(item).Value)
		}
		before = d
	}
}
