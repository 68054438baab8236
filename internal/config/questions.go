package config

// Questions is how long what an agent asks waits for a person.
type Questions struct {
	ExpireAfter Age   `yaml:"expire_after"`                      // Then the agent is told that nobody has answered.
	RemindAfter []Age `yaml:"remind_after" least:"1m" most:"10"` // Times since it was asked; []: nobody is reminded.
}

func (l *loader) questions() {
	q, p := &l.cfg.Questions, at("questions")
	if q.ExpireAfter == 0 {
		l.fault(p.at("expire_after"), "a question has to expire: write for example 7d")
	}
	if !l.has(p.at("remind_after")) {
		q.RemindAfter = defaultSettings().Questions.RemindAfter
	}
	before := Age(0)
	for i, d := range q.RemindAfter {
		if d <= before {
			item := p.at("remind_after", i)
			l.fault(item, "%s does not come after what stands before it", l.get(item).Value)
		}
		before = d
	}
}
