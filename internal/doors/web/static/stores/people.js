// Who may talk to errand, who asks to, and who was turned away.

import {ask} from "../api.js";
import {batch, signal} from "../ui.js";
import {say} from "../words.js";
import {about, me, reload} from "./account.js";
import {people} from "./names.js";
import {poll} from "./poll.js";
import {sure} from "./question.js";

export const personPath = p => `/api/people/${encodeURIComponent(p.id)}`;

export class People {
  pairings = signal([]);
  people = people;
  refusals = signal([]);
  read = signal(false);

  refresh = poll(async () => {
    const [pairings, list, refusals] = await Promise.all([ask("/api/pairings?waiting=true"), ask("/api/people"), ask("/api/refusals")]);
    batch(() => {
      this.pairings.value = pairings;
      this.people.value = list;
      this.refusals.value = refusals;
      this.read.value = true;
    });
  }, 3000);

  roles() { return (about.value.roles ?? []).map(r => [r.role, r.name]); }

  isMe(p) { return p.id === me.value?.id; }

  async approve(code, role) {
    const {person} = await ask(`/api/pairings/${encodeURIComponent(code)}/approve`, {role});
    this.refresh();
    return person;
  }

  async deny(code) {
    await ask(`/api/pairings/${encodeURIComponent(code)}/deny`, {});
    await this.refresh();
  }

  async setRole(p, role) {
    await ask(personPath(p), {role});
    if (this.isMe(p)) await reload();
    await this.refresh();
  }

  async remove(p) {
    if (!await sure(say("page.people.remove", {name: p.name || p.id}), say("page.remove"), say("page.people.their_tokens_logins_end"))) return;
    await ask(personPath(p), undefined, "DELETE");
    await this.refresh();
  }

  async unlink(p, i) {
    if (!await sure(say("page.people.unlink_this_identity"), say("page.unlink"), say("page.people.person_who_writes_has"))) return;
    const query = new URLSearchParams({channel: i.channel, account: i.account ?? "", external_id: i.external_id});
    await ask(`${personPath(p)}/identities?${query}`, undefined, "DELETE");
    await this.refresh();
  }

  async revoke(token) {
    await ask(`/api/tokens/${encodeURIComponent(token.id)}`, undefined, "DELETE");
    await this.refresh();
  }
}
