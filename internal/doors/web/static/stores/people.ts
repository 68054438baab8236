// Who may talk to errand, who asks to, and who was turned away.

import type * as API from "../api_types";
import {ask} from "../api";
import type {Choice} from "../components/select";
import {batch, signal} from "../ui";
import {say} from "../words";
import {about, me, reload} from "./account";
import {people} from "./names";
import {poll} from "./poll";
import {sure} from "./question";

export const personPath = (p: API.Person) => `/api/people/${encodeURIComponent(p.id)}`;

export class People {
  pairings = signal<API.Pairing[]>([]);
  people = people;
  refusals = signal<API.Refusal[]>([]);
  read = signal(false);

  refresh = poll(async () => {
    const [pairings, list, refusals] = await Promise.all([ask<API.Pairing[]>("/api/pairings?waiting=true"), ask<API.PersonView[]>("/api/people"), ask<API.Refusal[]>("/api/refusals")]);
    batch(() => {
      this.pairings.value = pairings;
      this.people.value = list;
      this.refusals.value = refusals;
      this.read.value = true;
    });
  }, 3000);

  roles() { return (about.value.roles ?? []).map((r): Choice => [r.role, r.name]); }

  isMe(p: API.Person) { return p.id === me.value?.id; }

  async approve(code: string, role: string) {
    const {person} = await ask<API.ApproveOut>(`/api/pairings/${encodeURIComponent(code)}/approve`, {role});
    this.refresh();
    reload().catch(() => {}); // fewer wait now
    return person;
  }

  async deny(code: string) {
    await ask(`/api/pairings/${encodeURIComponent(code)}/deny`, {});
    reload().catch(() => {}); // fewer wait now
    await this.refresh();
  }

  async setRole(p: API.Person, role: string) {
    await ask(personPath(p), {role});
    if (this.isMe(p)) await reload();
    await this.refresh();
  }

  async remove(p: API.Person) {
    if (!await sure(say("page.people.remove", {name: p.name || p.id}), say("page.remove"), say("page.people.their_tokens_logins_end"))) return;
    await ask(personPath(p), undefined, "DELETE");
    await this.refresh();
  }

  async unlink(p: API.Person, i: API.Identity) {
    if (!await sure(say("page.people.unlink_this_identity"), say("page.unlink"), say("page.people.person_who_writes_has"))) return;
    const query = new URLSearchParams({channel: i.channel, account: i.account ?? "", external_id: i.external_id});
    await ask(`${personPath(p)}/identities?${query}`, undefined, "DELETE");
    await this.refresh();
  }

  async revoke(token: API.Token) {
    await ask(`/api/tokens/${encodeURIComponent(token.id)}`, undefined, "DELETE");
    await this.refresh();
  }
}
