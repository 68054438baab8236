package storetest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var people = map[string]func(*testing.T, Opener){
	"a person is known by every identity": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		created, err := c.s.EnsurePerson(c.ctx, "ada", "Someone else", core.Guest)
		require.NoError(t, err)
		require.False(t, created)
		c.isAt("whatsapp", "main", "ada", "+491", "123@lid")
		p, err := c.s.Identify(c.ctx, "whatsapp", "main", "unknown@lid", "+491")
		require.NoError(t, err)
		require.Equal(t, "Ada", p.Name)
		require.Equal(t, core.Partner, p.Role)
		p, err = c.s.Identify(c.ctx, "whatsapp", "second", "+491")
		require.NoError(t, err, "ids of the platform are the same on all our accounts")
		require.Equal(t, "Ada", p.Name)
		c.isAt(core.ChannelWeb, "local", "ada", "browser-1")
		_, err = c.s.Identify(c.ctx, core.ChannelWeb, "other", "browser-1")
		require.ErrorIs(t, err, store.ErrNotFound, "another account of ours may know somebody else by it")
		_, err = c.s.Identify(c.ctx, "whatsapp", "main")
		require.ErrorIs(t, err, store.ErrNotFound)
		require.ErrorIs(t, c.s.AddIdentity(c.ctx, core.Identity{Channel: "whatsapp", ExternalID: "x", Person: "nobody"}), store.ErrNotFound)
		list, err := c.s.Identities(c.ctx, "ada")
		require.NoError(t, err)
		require.Len(t, list, 3)
		require.False(t, list[0].Created.IsZero())
		require.NoError(t, c.s.RemoveIdentity(c.ctx, "whatsapp", "main", "+491"))
		require.ErrorIs(t, c.s.RemoveIdentity(c.ctx, "whatsapp", "main", "+491"), store.ErrNotFound)
		_, err = c.s.Identify(c.ctx, "whatsapp", "main", "+491")
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"an identity without an account holds on all of the channel": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, err := c.s.EnsurePerson(c.ctx, "bob", "Bob", core.Guest)
		require.NoError(t, err)
		c.isAt("telegram", "", "ada", "7")
		c.isAt("telegram", "second", "bob", "7")
		for account, want := range map[string]core.PersonID{"main": "ada", "second": "bob"} {
			p, err := c.s.Identify(c.ctx, "telegram", account, "7")
			require.NoError(t, err)
			require.Equal(t, want, p.ID, account)
		}
		_, err = c.s.Identify(c.ctx, "discord", "main", "7")
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"two who have one id on different accounts keep what they had, and neither gains rights elsewhere": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for id, role := range map[core.PersonID]core.Role{"bob": core.Guest, "eve": core.Member} {
			_, err := c.s.EnsurePerson(c.ctx, id, string(id), role)
			require.NoError(t, err)
		}
		for _, channel := range []string{"telegram", "discord", "whatsapp"} {
			c.isAt(channel, "main", "ada", "7")
			c.isAt(channel, "second", "bob", "7")
			c.isAt(channel, "third", "eve", "7")
			for account, want := range map[string]core.PersonID{"main": "ada", "second": "bob", "third": "eve", "new": "bob"} {
				p, err := c.s.Identify(c.ctx, channel, account, "7")
				require.NoError(t, err)
				require.Equal(t, want, p.ID, account)
			}
			owners, err := c.s.Owners(c.ctx, channel, "7")
			require.NoError(t, err)
			require.Len(t, owners, 3)
			// Whoever says which of them it is has said it for all accounts.
			c.isAt(channel, "", "ada", "7")
			for _, account := range []string{"main", "second", "third", "new"} {
				p, err := c.s.Identify(c.ctx, channel, account, "7")
				require.NoError(t, err)
				require.Equal(t, core.PersonID("ada"), p.ID, account)
			}
		}
	},
	"new ids of a known person are remembered, and steal nobody's": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, err := c.s.EnsurePerson(c.ctx, "bob", "Bob", core.Guest)
		require.NoError(t, err)
		c.isAt("whatsapp", "main", "bob", "bob@lid")
		known := core.Identity{Channel: "whatsapp", Account: "main", Name: "ada", Person: "ada"}
		require.NoError(t, c.s.RememberIdentities(c.ctx, known, "+491", "bob@lid", "ada@lid"))
		for id, want := range map[string]core.PersonID{"+491": "ada", "ada@lid": "ada", "bob@lid": "bob"} {
			p, err := c.s.Identify(c.ctx, "whatsapp", "main", id)
			require.NoError(t, err)
			require.Equal(t, want, p.ID, id)
		}
	},
	"a sender is admitted once": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		as := core.Person{Name: "Cleo", Role: core.Guest, Language: "es"}
		p, created, err := c.s.AdmitSender(c.ctx, "telegram", "main", []string{"8", "@cleo"}, as)
		require.NoError(t, err)
		require.True(t, created)
		again, created, err := c.s.AdmitSender(c.ctx, "telegram", "second", []string{"@cleo"}, core.Person{Name: "C", Role: core.Member})
		require.NoError(t, err)
		require.False(t, created)
		require.Equal(t, p, again)
		stored, err := c.s.Person(c.ctx, p.ID)
		require.NoError(t, err)
		require.Equal(t, p, stored)
		_, _, err = c.s.AdmitSender(c.ctx, "telegram", "main", []string{"9"}, core.Person{Role: "boss"})
		require.ErrorContains(t, err, `no role "boss"`)
	},
	"people are found by id, prefix and name": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for id, name := range map[core.PersonID]string{"p-bcd": "Bob", "p-bce": "bert", "p-xyz": "Bob"} {
			_, err := c.s.EnsurePerson(c.ctx, id, name, core.Guest)
			require.NoError(t, err)
		}
		for word, want := range map[string]core.PersonID{"ada": "ada", "ADA ": "ada", "p-bcd": "p-bcd", "bcd": "p-bcd", "xy": "p-xyz", "Bert": "p-bce"} {
			p, err := c.s.FindPerson(c.ctx, word)
			require.NoError(t, err, word)
			require.Equal(t, want, p.ID, word)
		}
		for word, want := range map[string]error{"bob": store.ErrAmbiguous, "p-bc": store.ErrAmbiguous, "": store.ErrNotFound, "zoe": store.ErrNotFound} {
			_, err := c.s.FindPerson(c.ctx, word)
			require.ErrorIs(t, err, want, word)
		}
		list, err := c.s.People(c.ctx, store.Page{})
		require.NoError(t, err)
		require.Len(t, list, 4)
	},
	"what is known of a person can be changed": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, err := c.s.ChangePerson(c.ctx, "ada", store.PersonChange{Language: new("es")})
		require.NoError(t, err)
		_, err = c.s.ChangePerson(c.ctx, "ada", store.PersonChange{Name: new("Ada L.")})
		require.NoError(t, err)
		p, err := c.s.SetRole(c.ctx, "ada", core.Guest)
		require.NoError(t, err)
		stored, err := c.s.Person(c.ctx, "ada")
		require.NoError(t, err)
		require.Equal(t, p, stored)
		require.Equal(t, core.Person{ID: "ada", Name: "Ada L.", Role: core.Guest, Language: "es", Created: p.Created}, p)
		_, err = c.s.SetRole(c.ctx, "ada", "boss")
		require.ErrorContains(t, err, `no role "boss"`)
		_, err = c.s.SetRole(c.ctx, "nobody", core.Guest)
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"the last master_admin stays one": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for _, id := range []core.PersonID{"one", "two"} {
			_, err := c.s.EnsurePerson(c.ctx, id, string(id), core.MasterAdmin)
			require.NoError(t, err)
		}
		var last core.PersonID
		for range 20 { // both at the same moment: one of them must stay
			var errs [2]error
			var both sync.WaitGroup
			for i, id := range []core.PersonID{"one", "two"} {
				both.Go(func() { _, errs[i] = c.s.SetRole(c.ctx, id, core.Guest) })
			}
			both.Wait()
			gone := core.PersonID("two")
			last = "one"
			if errs[0] == nil {
				last, gone = gone, last
				errs[0], errs[1] = errs[1], errs[0]
			}
			require.ErrorIs(t, errs[0], store.ErrLastAdmin)
			require.NoError(t, errs[1])
			_, err := c.s.SetRole(c.ctx, gone, core.MasterAdmin)
			require.NoError(t, err)
			_, err = c.s.SetRole(c.ctx, last, core.MasterAdmin)
			require.NoError(t, err, "who stays what they are is not demoted")
		}
		for _, id := range []core.PersonID{"one", "two"} {
			if id != last {
				_, err := c.s.SetRole(c.ctx, id, core.Partner)
				require.NoError(t, err)
			}
		}
		require.ErrorIs(t, c.s.RemovePerson(c.ctx, last), store.ErrLastAdmin)
		p, err := c.s.Person(c.ctx, last)
		require.NoError(t, err)
		require.Equal(t, core.MasterAdmin, p.Role)
	},
	"a removed person is nobody": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.isAt("whatsapp", "main", "ada", "+491")
		plain, _, err := c.s.CreateToken(c.ctx, core.Token{Person: "ada", Kind: core.TokenAPI, Name: "laptop"}, 0)
		require.NoError(t, err)
		require.NoError(t, c.s.RemovePerson(c.ctx, "ada"))
		_, err = c.s.Identify(c.ctx, "whatsapp", "main", "+491")
		require.ErrorIs(t, err, store.ErrNotFound)
		_, _, err = c.s.PersonByToken(c.ctx, plain)
		require.ErrorIs(t, err, store.ErrNotFound)
		require.ErrorIs(t, c.s.RemovePerson(c.ctx, "ada"), store.ErrNotFound)
	},
	"a token lets in until it expires or is revoked": func(t *testing.T, open Opener) {
		now := time.Now()
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		short, brief, err := c.s.CreateToken(c.ctx, core.Token{Person: "ada", Kind: core.TokenAPI, Name: "laptop"}, time.Hour)
		require.NoError(t, err)
		long, kept, err := c.s.CreateToken(c.ctx, core.Token{Person: "ada", Kind: core.TokenLogin, Name: "browser"}, 0)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(short, "errand_"))
		require.Len(t, short, len("errand_")+43)
		require.NotEqual(t, short, long)
		for _, plain := range []string{short, long} {
			p, _, err := c.s.PersonByToken(c.ctx, plain)
			require.NoError(t, err)
			require.Equal(t, core.PersonID("ada"), p.ID)
		}
		list, err := c.s.Tokens(c.ctx, "ada")
		require.NoError(t, err)
		require.ElementsMatch(t, []core.Token{brief, kept}, list)
		now = now.Add(time.Hour)
		_, _, err = c.s.PersonByToken(c.ctx, short)
		require.ErrorIs(t, err, store.ErrNotFound)
		require.NoError(t, c.s.RevokeToken(c.ctx, kept.ID))
		_, _, err = c.s.PersonByToken(c.ctx, long)
		require.ErrorIs(t, err, store.ErrNotFound)
		require.ErrorIs(t, c.s.RevokeToken(c.ctx, kept.ID), store.ErrNotFound)
		for _, wrong := range []string{"", "errand_", long + "x", kept.ID} {
			_, _, err = c.s.PersonByToken(c.ctx, wrong)
			require.ErrorIs(t, err, store.ErrNotFound, wrong)
			require.NotContains(t, err.Error(), "errand_", "a token is not repeated")
		}
		_, _, err = c.s.CreateToken(c.ctx, core.Token{Person: "nobody", Kind: core.TokenAPI}, 0)
		require.ErrorIs(t, err, store.ErrNotFound)
		require.NoError(t, c.s.RevokeSecret(c.ctx, short))
		require.ErrorIs(t, c.s.RevokeSecret(c.ctx, short), store.ErrNotFound)
	},
	"a link lets a browser in once, and is no token": func(t *testing.T, open Opener) {
		now := time.Now()
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		link, token, err := c.s.CreateToken(c.ctx, core.Token{Kind: core.TokenLink, Person: "ada"}, time.Minute)
		require.NoError(t, err)
		require.Equal(t, core.TokenLink, token.Kind)
		_, _, err = c.s.PersonByToken(c.ctx, link)
		require.ErrorIs(t, err, store.ErrNotFound, "it is nobody's until it is redeemed")
		login, made, err := c.s.RedeemLink(c.ctx, link, "browser", time.Hour)
		require.NoError(t, err)
		require.Equal(t, core.TokenLogin, made.Kind)
		p, _, err := c.s.PersonByToken(c.ctx, login)
		require.NoError(t, err)
		require.Equal(t, core.PersonID("ada"), p.ID)
		_, _, err = c.s.RedeemLink(c.ctx, link, "browser", time.Hour)
		require.ErrorIs(t, err, store.ErrNotFound, "it was used")
		_, _, err = c.s.RedeemLink(c.ctx, login, "browser", time.Hour)
		require.ErrorIs(t, err, store.ErrNotFound, "a login is no link")

		late, _, err := c.s.CreateToken(c.ctx, core.Token{Kind: core.TokenLink, Person: "ada"}, time.Minute)
		require.NoError(t, err)
		now = now.Add(time.Minute)
		_, _, err = c.s.RedeemLink(c.ctx, late, "browser", time.Hour)
		require.ErrorIs(t, err, store.ErrNotFound, "it has expired")
		_, _, err = c.s.CreateToken(c.ctx, core.Token{Kind: core.TokenLink, Person: "ada"}, time.Minute)
		require.NoError(t, err)
		list, err := c.s.Tokens(c.ctx, "ada")
		require.NoError(t, err)
		require.Len(t, list, 2, "what has expired is not kept")

		both, _, err := c.s.CreateToken(c.ctx, core.Token{Kind: core.TokenLink, Person: "ada"}, time.Minute)
		require.NoError(t, err)
		var wins atomic.Int64
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, _, err := c.s.RedeemLink(c.ctx, both, "browser", time.Hour); err == nil {
					wins.Add(1)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 1, wins.Load(), "at once by several")
		_, _, err = c.s.CreateToken(c.ctx, core.Token{Kind: core.TokenLink, Person: "nobody"}, time.Minute)
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"what a token makes ends with it": func(t *testing.T, open Opener) {
		now := time.Now()
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		makes := func(parent, kind string, validFor time.Duration) (string, core.Token) {
			plain, token, err := c.s.CreateToken(c.ctx, core.Token{Person: "ada", Kind: kind, Parent: parent}, validFor)
			require.NoError(t, err)
			return plain, token
		}
		letsIn := func(plain string, want bool, why string) {
			_, _, err := c.s.PersonByToken(c.ctx, plain)
			if want {
				require.NoError(t, err, why)
			} else {
				require.ErrorIs(t, err, store.ErrNotFound, why)
			}
		}
		_, day := makes("", core.TokenAPI, 24*time.Hour)
		login, ofLogin := makes(day.Bound(), core.TokenLogin, 180*24*time.Hour)
		require.Equal(t, day.Expires, ofLogin.Expires, "it does not outlive its parent")
		program, ofProgram := makes(day.Bound(), core.TokenAPI, 0)
		require.Equal(t, day.Expires, ofProgram.Expires, "nor does one that would not expire")
		_, _, err := c.s.PersonByToken(c.ctx, login)
		require.NoError(t, err)
		_, shown, err := c.s.PersonByToken(c.ctx, login)
		require.NoError(t, err)
		require.Equal(t, day.ID, shown.Bound(), "what a login makes is of the token that made the login")
		link, _, err := c.s.CreateToken(c.ctx, core.Token{Kind: core.TokenLink, Person: "ada", Parent: shown.Bound()}, time.Minute)
		require.NoError(t, err)
		phone, ofPhone, err := c.s.RedeemLink(c.ctx, link, "phone", 180*24*time.Hour)
		require.NoError(t, err)
		require.Equal(t, day.ID, ofPhone.Parent)
		require.Equal(t, day.Expires, ofPhone.Expires)
		unused, _, err := c.s.CreateToken(c.ctx, core.Token{Kind: core.TokenLink, Person: "ada", Parent: day.ID}, time.Minute)
		require.NoError(t, err)
		ofAnother, _ := makes("", core.TokenLogin, 0)

		require.NoError(t, c.s.RevokeSecret(c.ctx, login))
		letsIn(phone, true, "a browser that logs out takes nobody along")
		require.NoError(t, c.s.RevokeToken(c.ctx, day.ID))
		letsIn(phone, false, "its parent is revoked")
		letsIn(program, false, "its parent is revoked")
		letsIn(ofAnother, true, "it has no parent")
		_, _, err = c.s.RedeemLink(c.ctx, unused, "browser", time.Hour)
		require.ErrorIs(t, err, store.ErrNotFound, "its parent is revoked")
		_, _, err = c.s.CreateToken(c.ctx, core.Token{Person: "ada", Kind: core.TokenLogin, Parent: day.ID}, time.Hour)
		require.ErrorIs(t, err, store.ErrNotFound)

		_, brief := makes("", core.TokenAPI, time.Hour)
		login, _ = makes(brief.ID, core.TokenLogin, 24*time.Hour)
		now = now.Add(time.Hour)
		letsIn(login, false, "its parent has expired")
		_, _, err = c.s.CreateToken(c.ctx, core.Token{Kind: core.TokenLink, Person: "ada", Parent: brief.ID}, time.Minute)
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"who was turned away is counted, and a flood of them is bounded": func(t *testing.T, open Opener) {
		now := time.Now()
		c := newChat(t, open, store.Options{Now: func() time.Time { now = now.Add(time.Millisecond); return now }})
		refuse := func(id, reason string) {
			require.NoError(t, c.s.Refuse(c.ctx, core.Refusal{Channel: "telegram", Account: "main", ExternalID: id, Name: "n", Reason: reason}))
		}
		refuse("first", "not on the list")
		refuse("second", "not on the list")
		refuse("first", "denied")
		list, err := c.s.Refusals(c.ctx)
		require.NoError(t, err)
		require.Equal(t, "first", list[0].ExternalID)
		require.Equal(t, 2, list[0].Times)
		require.Equal(t, "denied", list[0].Reason)
		require.True(t, list[0].Last.After(list[0].First))
		for i := range 1000 {
			refuse(fmt.Sprint("flood ", i), "not on the list")
		}
		list, err = c.s.Refusals(c.ctx)
		require.NoError(t, err)
		require.Len(t, list, 1000)
		for _, r := range list {
			require.NotContains(t, []string{"first", "second"}, r.ExternalID, "the oldest go first")
		}
	},
}

func (c *chat) isAt(channel, account string, person core.PersonID, ids ...string) {
	c.t.Helper()
	for _, id := range ids {
		require.NoError(c.t, c.s.AddIdentity(c.ctx, core.Identity{Channel: channel, Account: account, ExternalID: id, Person: person}))
	}
}
