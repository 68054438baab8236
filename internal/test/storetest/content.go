package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var telegram = core.Route{Channel: "telegram", Account: "main", Chat: "42"}

func file(name, data string) store.NewArtifact {
	return store.NewArtifact{Name: name, Type: "text/plain", Data: []byte(data)}
}

func (c *chat) with(text string, attached ...store.NewArtifact) store.InboxMessage {
	m := c.message(text)
	m.Attached = attached
	return m
}

func (c *chat) accept(m store.InboxMessage) store.InboxRow {
	c.t.Helper()
	row, err := c.s.Accept(c.ctx, m)
	require.NoError(c.t, err)
	return row
}

func (c *chat) artifacts() []core.Artifact {
	c.t.Helper()
	list, err := c.s.Artifacts(c.ctx, c.session)
	require.NoError(c.t, err)
	return list
}

var contents = map[string]func(*testing.T, Opener){
	"the log says what came with a message, until it is taken back": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		m := c.with("read this", file("plan.txt", "to Oslo"))
		c.accept(m)
		c.write("and answer")
		edit := m
		edit.Text, edit.Revision, edit.Attached = "read that", 1, nil
		c.accept(edit)
		b := c.begin(1, 1)
		require.Len(t, b.Transcript, 2)
		want := []core.AttachedFile{{ID: c.artifacts()[0].ID, Name: "plan.txt", Type: "text/plain", Size: 7}}
		all := c.events()
		require.Equal(t, [][]core.AttachedFile{want, nil, want}, [][]core.AttachedFile{all[0].Attached, all[1].Attached, all[2].Attached})
		require.True(t, c.takeBack("ada", m.MessageID))
		for _, e := range c.events() {
			require.Empty(t, e.Attached)
		}
	},
	"what came with a message is kept with it, once": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		m := c.with("read this", file("plan.txt", "to Oslo"), store.NewArtifact{Name: "x.pdf", Type: "application/pdf", Data: []byte("%PDF")})
		m.Note = "[attached and not taken: film.mp4]"
		has, err := c.s.Has(c.ctx, m)
		require.NoError(t, err)
		require.False(t, has)
		c.accept(m)
		require.True(t, c.accept(m).Duplicate)
		has, err = c.s.Has(c.ctx, m)
		require.NoError(t, err)
		require.True(t, has)
		require.Empty(t, c.artifacts(), "no session has taken it")

		b := c.begin(1, 1)
		kept := c.artifacts()
		require.Len(t, kept, 2)
		require.Equal(t, []string{"user: read this\n[attached: plan.txt, text/plain, 7 bytes, " + string(kept[0].ID) + "]\n" +
			"[attached: x.pdf, application/pdf, 4 bytes, " + string(kept[1].ID) + "]\n[attached and not taken: film.mp4]"}, texts(b.Transcript))
		require.Equal(t, texts(b.Transcript), texts(c.begin(1, 1).Transcript), "a second attempt")
		require.Regexp(t, `^a-[2-9a-z]{8}$`, string(kept[0].ID))
		require.Equal(t, core.PersonID("ada"), kept[0].Person)
		require.Equal(t, c.key, kept[0].Key)
		require.Equal(t, "393412a33725b4d27245ea5c341034ca26b4861c68664e20fbe98bd3baf9edbb", kept[0].SHA256)
		data, err := c.s.ArtifactData(c.ctx, kept[0].ID)
		require.NoError(t, err)
		require.Equal(t, "to Oslo", string(data))
		for _, part := range []struct {
			offset int64
			n      int
			want   string
		}{{0, 2, "to"}, {3, 100, "Oslo"}, {7, 1, ""}} {
			data, err := c.s.ArtifactPart(c.ctx, kept[0].ID, part.offset, part.n)
			require.NoError(t, err)
			require.Equal(t, part.want, string(data))
		}
		_, err = c.s.ArtifactPart(c.ctx, "a-22222222", 0, 1)
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = c.s.Artifact(c.ctx, "a-22222222")
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = c.s.ArtifactData(c.ctx, "a-22222222")
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"how models are shown a picture is kept once, and goes with it": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		photo := store.NewArtifact{Name: "photo.jpg", Type: "image/jpeg", Data: []byte("\xff\xd8")}
		taken, left := c.with("", photo), c.with("and this", photo, file("a.txt", "text"))
		c.accept(taken)
		c.accept(left)
		refs := c.begin(1, 1).Pictures
		require.Len(t, refs, 2)
		first := refs[0].Artifact
		require.Equal(t, []store.PromptPicture{
			{Message: 0, Artifact: first, Type: "image/jpeg", Tokens: core.MaxPictureTokens},
			{Message: 1, Artifact: refs[1].Artifact, Type: "image/jpeg", Tokens: core.MaxPictureTokens},
		}, refs)
		none, err := c.s.ShownPictures(c.ctx, nil)
		require.NoError(t, err)
		require.Empty(t, none)
		_, err = c.s.ShownPicture(c.ctx, first)
		require.ErrorIs(t, err, store.ErrNotFound)
		want := store.ShownPicture{Artifact: first, Type: "image/png", Width: 3, Height: 2, Data: []byte("small")}
		for _, p := range []store.ShownPicture{want, {Artifact: first, Type: "image/jpeg", Data: []byte("other")}} {
			kept, err := c.s.KeepPicture(c.ctx, p)
			require.NoError(t, err)
			require.Equal(t, want, kept)
		}
		broken, err := c.s.KeepPicture(c.ctx, store.ShownPicture{Artifact: refs[1].Artifact, Fault: "it is broken"})
		require.NoError(t, err)
		require.Equal(t, "it is broken", broken.Fault)
		both, err := c.s.ShownPictures(c.ctx, []core.ArtifactID{"a-22222222", refs[1].Artifact, first})
		require.NoError(t, err)
		require.Equal(t, map[core.ArtifactID]store.ShownPicture{first: want, refs[1].Artifact: broken}, both)
		refs = c.begin(1, 1).Pictures
		require.Equal(t, []int{1, 0}, []int{refs[0].Tokens, refs[1].Tokens}, "what is known of them")
		_, err = c.s.KeepPicture(c.ctx, store.ShownPicture{Artifact: "a-22222222", Data: []byte("x")})
		require.ErrorIs(t, err, store.ErrNotFound, "deleted meanwhile")

		removed, err := c.s.TakeBack(c.ctx, c.route, "ada", taken.MessageID)
		require.NoError(t, err)
		require.True(t, removed)
		_, err = c.s.ShownPicture(c.ctx, first)
		require.ErrorIs(t, err, store.ErrNotFound)
		require.Len(t, c.begin(1, 1).Pictures, 1)
		_, err = c.s.MarkForDeletion(c.ctx, c.session, true)
		require.NoError(t, err)
		_, err = c.s.DeleteSession(c.ctx, c.session, nil)
		require.NoError(t, err)
		_, err = c.s.ShownPicture(c.ctx, refs[1].Artifact)
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"what comes in a day is bounded, for one person and for all": func(t *testing.T, open Opener) {
		now := time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
		limits := store.FileLimits{PersonDay: 10, Day: 15}
		c := chatOn(t, open(t, store.Options{Limits: store.Limits{Files: limits}, Now: func() time.Time { return now }}), telegram)
		left := func(person core.PersonID) store.FilesLeft {
			left, err := c.s.FilesLeft(c.ctx, person)
			require.NoError(t, err)
			return left
		}
		require.Equal(t, store.FilesLeft{Person: 10, All: 15}, left("ada"))
		m := c.with("first", file("a.txt", "1234"), file("b.txt", "1234"))
		c.accept(m)
		require.True(t, c.accept(m).Duplicate)
		require.Equal(t, store.FilesLeft{Person: 2, All: 7}, left("ada"), "once for a message")
		m = c.with("second", file("c.txt", "123"))
		var budget *store.BudgetError
		_, err := c.s.Accept(c.ctx, m)
		require.ErrorAs(t, err, &budget)
		require.Equal(t, store.BudgetError{Budget: "person_day", What: "bytes", Limit: 10}, *budget)
		has, err := c.s.Has(c.ctx, m)
		require.NoError(t, err)
		require.False(t, has, "nothing of it is kept")
		m.Attached = nil
		require.False(t, c.accept(m).Duplicate)
		_, err = c.s.EnsurePerson(c.ctx, "bob", "Bob", core.Member)
		require.NoError(t, err)
		m = c.with("third", file("d.txt", "12345678"))
		m.Person = "bob"
		_, err = c.s.Accept(c.ctx, m)
		require.ErrorAs(t, err, &budget)
		require.Equal(t, store.BudgetError{Budget: "day", What: "bytes", Limit: 15}, *budget)
		require.Equal(t, store.FilesLeft{Person: 10, All: 7}, left("bob"))
		now = now.Add(time.Hour)
		require.Equal(t, store.FilesLeft{Person: 10, All: 15}, left("bob"), "another day")
		c.accept(m)
	},
	"without a bound any number of bytes may come": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		c.accept(c.with("", file("a.txt", "1234")))
		left, err := c.s.FilesLeft(c.ctx, "ada")
		require.NoError(t, err)
		require.Equal(t, store.FilesLeft{Person: -1, All: -1}, left)
	},
	"a file alone, and an empty one, are messages": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		c.accept(c.with("", store.NewArtifact{Name: "empty.txt", Type: "text/plain"}))
		b := c.begin(1, 1)
		require.Equal(t, []string{"user: [attached: empty.txt, text/plain, 0 bytes, " + string(c.artifacts()[0].ID) + "]"}, texts(b.Transcript))
	},
	"an edit of the words leaves what came with them": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		m := c.with("raed", file("plan.txt", "to Oslo"))
		c.accept(m)
		edit := m
		edit.Text, edit.Revision, edit.Attached = "read", 1, nil
		c.accept(edit)
		edit.Text, edit.Revision, edit.Attached = "read it", 2, []store.NewArtifact{file("other.txt", "to Rome")}
		c.accept(edit)
		b := c.begin(1, 1)
		kept := c.artifacts()
		require.Len(t, kept, 1, "the edit brought its own")
		require.Equal(t, []string{"user: read it\n[attached: other.txt, text/plain, 7 bytes, " + string(kept[0].ID) + "]"}, texts(b.Transcript))

		m = c.with("raed", file("plan.txt", "to Oslo"))
		c.accept(m)
		m.Text, m.Revision, m.Attached = "read", 1, nil
		c.accept(m)
		b = c.begin(2, 1)
		require.Len(t, c.artifacts(), 2)
		require.Contains(t, texts(b.Transcript)[1], "user: read\n[attached: plan.txt, ")
	},
	"what was sent goes with its session, and is said": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		c.accept(c.with("read", file("plan.txt", "to Oslo")))
		c.commit(reply(c.begin(1, 1), "ok"))
		e, err := c.s.Export(c.ctx, c.session)
		require.NoError(t, err)
		require.Equal(t, c.artifacts(), e.Artifacts)
		require.Contains(t, store.Markdown(e), "plan.txt, text/plain, 7 bytes, ")
		id := c.artifacts()[0].ID
		_, err = c.s.MarkForDeletion(c.ctx, c.session, false)
		require.NoError(t, err)
		gone, err := c.s.DeleteSession(c.ctx, c.session, nil)
		require.NoError(t, err)
		require.Equal(t, 1, gone["artifacts"])
		_, err = c.s.Artifact(c.ctx, id)
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"what came with messages that no turn will take goes in time": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		c := chatOn(t, s, telegram)
		for range 3 {
			m := c.with("raed", store.NewArtifact{Name: "v.ogg", Type: "audio/ogg", Voice: true})
			row := c.accept(m)
			_, err := s.FailTranscription(c.ctx, "", store.VoiceMessage{Row: row.ID, Words: true}, "[not heard]", core.Notification{Session: c.key}, nil)
			require.NoError(t, err)
			m.Text, m.Revision, m.Attached = "read", 1, []store.NewArtifact{file("plan.txt", "x")}
			require.False(t, c.accept(m).Duplicate)
		}
		timeout := c.accept(c.with("", store.NewArtifact{Name: "v.ogg", Type: "audio/ogg", Voice: true}))
		_, err := s.FailTranscription(c.ctx, "", store.VoiceMessage{Row: timeout.ID}, "[not heard]", core.Notification{Key: "k", Session: c.key, Route: c.route}, nil)
		require.NoError(t, err)
		clock.tick(31 * day)
		require.Equal(t, map[string]int{"artifacts": 1}, sweepAll(t, s, store.SweepArtifacts, policy), "what waits for a turn stays")
		c.begin(1, 1)
		require.Len(t, c.artifacts(), 3)
	},
	"a voice note is written down before a turn takes it": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		voice := store.NewArtifact{Name: "voice.ogg", Type: "audio/ogg", Voice: true, Data: []byte("OggS")}
		c.write("hello")
		one, two := c.accept(c.with("", voice)), c.accept(c.with("and this", voice))
		list, err := c.s.Untranscribed(c.ctx, c.key, 10)
		require.NoError(t, err)
		require.Equal(t, []int64{one.ID, two.ID}, []int64{list[0].Row, list[1].Row})
		require.Equal(t, []bool{false, true}, []bool{list[0].Words, list[1].Words})
		require.Equal(t, core.PersonID("ada"), list[0].Person)
		require.Len(t, list[0].Notes, 1)
		require.Equal(t, []string{"user: hello"}, texts(c.begin(1, 1).Transcript), "what is not written down waits")
		c.commit(reply(c.begin(1, 1), "hi"))
		for range 2 { // a second attempt changes nothing
			require.NoError(t, c.s.SaveTranscription(c.ctx, c.key, one.ID, "to Oslo please", nil))
		}
		require.NoError(t, c.s.SaveTranscription(c.ctx, c.key, two.ID, "tomorrow", nil))
		list, err = c.s.Untranscribed(c.ctx, c.key, 10)
		require.NoError(t, err)
		require.Empty(t, list)
		lines := texts(c.begin(2, 1).Transcript)[1:]
		require.Regexp(t, `^user: \[spoken, transcribed by a machine\] to Oslo please\n\[attached: voice.ogg, audio/ogg, 4 bytes, a-\w+\]$`, lines[1])
		require.Regexp(t, `^user: \[spoken, transcribed by a machine\] tomorrow\nand this\n`, lines[2])
		require.Equal(t, "to Oslo please", c.events()[1].Text, "the page shows what was said")
	},
	"a voice note that is deleted while it is written down leaves nothing reserved": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{Limits: store.Limits{PersonDay: store.Amount{Calls: 1}}}), telegram)
		m := c.with("", store.NewArtifact{Name: "voice.ogg", Type: "audio/ogg", Voice: true, Data: []byte("OggS")})
		c.accept(m)
		list, err := c.s.Untranscribed(c.ctx, c.key, 10)
		require.NoError(t, err)
		_, err = c.s.BeginTranscription(c.ctx, c.step(1, 1).Key, c.key, list[0], store.Amount{Calls: 1})
		require.NoError(t, err) // and the process is killed
		_, err = c.s.TakeBack(c.ctx, c.route, "ada", m.MessageID)
		require.NoError(t, err)
		c.write("hello")
		_, err = c.s.BeginStep(c.ctx, c.step(1, 1))
		require.NoError(t, err, "the one call of the day is there")
	},
	"voice notes are paid for as model calls are": func(t *testing.T, open Opener) {
		w := &wall{monday}
		c := chatOn(t, open(t, store.Options{Now: w.Now, Limits: store.Limits{PersonDay: store.Amount{Calls: 3, Cost: 1}, Turn: store.Amount{Calls: 2}}}), telegram)
		voice := store.NewArtifact{Name: "voice.ogg", Type: "audio/ogg", Voice: true, Data: []byte("OggS")}
		c.accept(c.with("", voice))
		in := c.step(1, 1)
		in.NeedTranscripts = true
		_, err := c.s.BeginStep(c.ctx, in)
		require.ErrorIs(t, err, store.ErrUntranscribed)
		list, err := c.s.Untranscribed(c.ctx, c.key, 10)
		require.NoError(t, err)
		hearing := func(cost float64) (*store.Transcription, error) {
			return c.s.BeginTranscription(c.ctx, in.Key, c.key, list[0], store.Amount{Calls: 1, Cost: cost})
		}
		refused := func(err error, name, what string) {
			t.Helper()
			var over *store.BudgetError
			require.ErrorAs(t, err, &over)
			require.Equal(t, []string{name, what}, []string{over.Budget, over.What})
		}
		require.NoError(t, c.s.Pause(c.ctx, "ada"))
		_, err = hearing(0)
		require.ErrorIs(t, err, store.ErrPaused)
		require.NoError(t, c.s.Resume(c.ctx))
		_, err = hearing(1.5)
		refused(err, "person_day", "cost")
		h, err := hearing(0.75)
		require.NoError(t, err)
		_, err = hearing(0.75)
		require.NoError(t, err, "a second attempt is the same call")
		other := list[0]
		other.Row += 100
		_, err = c.s.BeginTranscription(c.ctx, in.Key, c.key, other, store.Amount{Calls: 1, Cost: 0.75})
		refused(err, "person_day", "cost")
		require.NoError(t, c.s.EndTranscription(c.ctx, h))
		h, err = hearing(0.75)
		require.NoError(t, err, "what came to nothing was given back")
		h.Usage = []core.Usage{{Model: "whisper-1", Provider: "ears", Cost: 0.25}}
		require.NoError(t, c.s.SaveTranscription(c.ctx, c.key, list[0].Row, "to Oslo", h))
		b, err := c.s.BeginStep(c.ctx, in)
		require.NoError(t, err)
		spent, err := c.s.Spent(c.ctx, store.SpentBy{Root: b.Root})
		require.NoError(t, err)
		require.Equal(t, store.Amount{Calls: 1, Cost: 0.25}, spent, "it counts towards its turn")
		sums, err := c.s.UsageOf(c.ctx, "ada", time.Time{})
		require.NoError(t, err)
		require.Len(t, sums, 1)
		require.Equal(t, []any{"whisper-1", 1, 0.25}, []any{sums[0].Model, sums[0].Calls, sums[0].Cost})
		_, err = hearing(0)
		refused(err, "turn", "calls")
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, "stopped"))
		_, err = hearing(0)
		require.ErrorIs(t, err, store.ErrClosed)
	},
	"what a stopped turn had reserved to hear is given back": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{Limits: store.Limits{PersonDay: store.Amount{Calls: 1}}}), telegram)
		c.accept(c.with("", store.NewArtifact{Name: "voice.ogg", Type: "audio/ogg", Voice: true, Data: []byte("OggS")}))
		list, err := c.s.Untranscribed(c.ctx, c.key, 10)
		require.NoError(t, err)
		_, err = c.s.BeginTranscription(c.ctx, c.step(1, 1).Key, c.key, list[0], store.Amount{Calls: 1})
		require.NoError(t, err)
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, "stopped"))
		_, err = c.s.BeginTranscription(c.ctx, c.step(2, 1).Key, c.key, list[0], store.Amount{Calls: 1})
		require.NoError(t, err)
	},
	"a voice note that cannot be written down is answered, and kept": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		voice := store.NewArtifact{Name: "voice.ogg", Type: "audio/ogg", Voice: true, Data: []byte("OggS")}
		alone, worded := c.accept(c.with("", voice)), c.accept(c.with("do this", voice))
		sorry := core.Notification{Key: "sorry", Route: c.route, Session: c.key, Event: core.EventNotice, Text: "I could not hear that."}
		for i := range 2 {
			delivered, err := c.s.FailTranscription(c.ctx, c.session, store.VoiceMessage{Row: alone.ID}, "[not heard]", sorry, nil)
			require.NoError(t, err)
			require.Equal(t, i == 0, delivered)
		}
		delivered, err := c.s.FailTranscription(c.ctx, c.session, store.VoiceMessage{Row: worded.ID, Words: true}, "[not heard]", sorry, nil)
		require.NoError(t, err)
		require.False(t, delivered)
		lines := texts(c.begin(1, 1).Transcript)
		require.Len(t, lines, 1)
		require.Regexp(t, `^user: do this\n\[attached: .*\]\n\[not heard\]$`, lines[0])
		require.Len(t, c.artifacts(), 2)
		n, err := c.s.NextOutbox(c.ctx, c.route)
		require.NoError(t, err)
		require.Equal(t, "I could not hear that.", n.Text)
	},
}

var replies = map[string]func(*testing.T, Opener){
	"a reply says what it is about": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		c.write("hello")
		c.commit(reply(c.begin(1, 1), "Hi. What [can]\nI do?"))
		task := c.delegate(2, to("Find night trains to Oslo", "sasha"))
		c.work(task, "there are two")
		c.commit(reply(c.begin(3, 1), "Sasha found two trains."))
		ask := reply(c.askedAs(4), "Shall Finn take over?")
		ask.Options, ask.Propose = []string{"yes", "no"}, "finn"
		c.commit(ask)
		c.send()
		turn := 4
		for _, tt := range []struct{ name, to, want string }{
			{"to words", "turn-1", `[in reply to: Nikki: "Hi. What (can) I do?"]` + "\nwhy?"},
			{"to a late result", "turn-3", "[in reply to: late result of " + string(task) + ", Sasha: Find night trains to Oslo]\nwhy?"},
			{"to another part of it", "turn-3/2", "[in reply to: late result of " + string(task) + ", Sasha: Find night trains to Oslo]\nwhy?"},
			{"to a question", "turn-4", `[in reply to: question, Nikki: "Shall Finn take over?"]` + "\nwhy?"},
			{"to somebody else", "777", "why?"},
			{"to nothing", "", "why?"},
		} {
			m := c.message("why?")
			m.ReplyTo = tt.to
			c.accept(m)
			turn++
			b := c.begin(turn, 1)
			require.Equal(t, tt.want, core.Unmarked(b.Transcript[len(b.Transcript)-1].Text), tt.name)
			c.commit(reply(b, "because"))
		}
	},
	"a reply finds the message by account and chat": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		c := chatOn(t, s, telegram)
		c.write("hello")
		c.commit(reply(c.begin(1, 1), "Hi."))
		c.send()
		for i, there := range []core.Route{
			{Channel: "telegram", Account: "main", Chat: "43"}, {Channel: "telegram", Account: "finn", Chat: "42"}, {Channel: "discord", Account: "main", Chat: "42"},
		} {
			d := chatOn(t, s, there)
			m := d.message("why?")
			m.ReplyTo = "turn-1"
			d.accept(m)
			require.Equal(t, []string{"user: why?"}, texts(d.begin(1, 1).Transcript), i)
		}
		// What an agent sent under an account of its own is found there.
		rows, err := s.Deliveries(c.ctx, nil, store.Page{Limit: 1})
		require.NoError(t, err)
		require.NoError(t, s.MarkSent(c.ctx, rows[0].ID, "nikki", []string{"99"}))
		d := chatOn(t, s, core.Route{Channel: "telegram", Account: "nikki", Chat: "42"})
		m := d.message("why?")
		m.ReplyTo = "99"
		d.accept(m)
		require.Equal(t, []string{`user: [in reply to: Nikki: "Hi."]` + "\nwhy?"}, texts(d.begin(1, 1).Transcript))
	},
	"words that are told apart by account and chat, for as long as they are kept": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		c := chatOn(t, s, telegram)
		c.write("hello")
		m := c.message("helo")
		m.MessageID = "m-9"
		c.accept(m)
		m.Revision, m.Text = 1, "hello again"
		c.accept(m)
		c.commit(reply(c.begin(1, 1), "Hi."))
		c.send()
		elsewhere := telegram
		elsewhere.Account = "finn"
		for r, want := range map[core.Route]string{telegram: "hello again", elsewhere: ""} {
			text, err := s.MessageText(c.ctx, r, "m-9")
			require.NoError(t, err)
			require.Equal(t, want, text)
			n, ok, err := s.SentAs(c.ctx, r.At(), "turn-1/2", "another", telegram.Chat)
			require.NoError(t, err)
			require.Equal(t, want != "", ok)
			require.Equal(t, want != "", n.Text == "Hi.")
		}
		_, ok, err := s.SentAs(c.ctx, telegram.At(), "turn-1", "another")
		require.NoError(t, err)
		require.False(t, ok)
	},
	"only a reply to the open question answers it": func(t *testing.T, open Opener) {
		for _, tt := range []struct {
			to      string
			answers bool
		}{{"", true}, {"turn-2", true}, {"777", true}, {"turn-1", false}} {
			c := chatOn(t, open(t, store.Options{}), telegram)
			c.write("hello")
			c.commit(reply(c.begin(1, 1), "Hi."))
			ask := reply(c.askedAs(2), "Shall Finn take over?")
			ask.Options, ask.Propose = []string{"yes", "no"}, "finn"
			c.commit(ask)
			c.send()
			m := c.message("no")
			m.ReplyTo = tt.to
			c.accept(m)
			in := c.step(3, 1)
			b, err := c.deciding(in)
			require.NoError(t, err)
			require.Equal(t, tt.answers, b.DeclinedAgent == "finn", "reply to %q", tt.to)
			if !tt.answers {
				c.commit(reply(b, "what do you mean?"))
			}
		}
	},
}

// askedAs begins a turn about a message.
func (c *chat) askedAs(turn int) *store.StepInput {
	c.t.Helper()
	c.write("and now?")
	return c.begin(turn, 1)
}

// send marks what a platform has to be called for as sent, in two parts each:
// the reply of turn 3 as "turn-3" and "turn-3/2".
func (c *chat) send() {
	c.t.Helper()
	for {
		n, err := c.s.NextOutbox(c.ctx, c.route)
		require.NoError(c.t, err)
		if n == nil {
			return
		}
		_, err = c.s.MarkSending(c.ctx, n.ID, time.Minute)
		require.NoError(c.t, err)
		turn := n.Key[len(n.Key)-1:]
		require.NoError(c.t, c.s.MarkSent(c.ctx, n.ID, "", []string{"turn-" + turn, "turn-" + turn + "/2"}))
	}
}
