// Who has done what: the latest of it, and on request what was before.

import type * as API from "../api_types";
import {ask} from "../api";
import {batch, signal} from "../ui";
import {learnNames} from "./names";
import {poll} from "./poll";

const pageSize = 50;

export class Audit {
  filters = signal<Record<string, string>>({person: "", deed: "", since: ""});
  list = signal<API.AuditEntry[] | null>(null);   // null: not known yet
  more = signal(false);  // there may be older ones
  #older = false;        // older ones are shown: the list stays as it is
  #asked = 0;

  refresh = poll(async () => {
    await learnNames();
    if (!this.#older) await this.#find();
  }, 5000);

  filter(name: string, value: string) {
    this.filters.value = {...this.filters.value, [name]: value};
    this.#older = false;
    return this.refresh();
  }

  older() {
    this.#older = true;
    return this.#find(this.list.value?.at(-1)?.id);
  }

  async #find(before?: number) {
    const mine = ++this.#asked;
    const query = new URLSearchParams(Object.entries({...this.filters.value, limit: String(pageSize), before: String(before ?? "")}).filter(([, value]) => value));
    const found = await ask<API.AuditEntry[]>(`/api/audit?${query}`);
    if (mine !== this.#asked) return; // something else was asked for meanwhile
    batch(() => {
      this.list.value = before ? [...this.list.value ?? [], ...found] : found;
      this.more.value = found.length === pageSize;
    });
  }
}
