// What was used in some days, by one person or by everybody.

import type * as API from "../api_types";
import {ask} from "../api";
import {signal} from "../ui";
import {say} from "../words";
import {failed} from "./account";
import {announce} from "./announcer";
import {learnNames} from "./names";

export const sums = ["day", "agent", "person", "model", "tree"];

export class Usage {
  filters = signal<Record<string, string>>({days: "30", person: "", by: "", ...Object.fromEntries(new URLSearchParams(location.search))});
  read = signal<API.UsageOut | null>(null);
  #mine = 0;

  // measure is what bars are as long as: what it has cost, where prices are known.
  get measure() { return this.filters.value.by || (this.read.value?.total.cost ? "cost" : "tokens"); }

  // days are all of them with what was used, those too in which nothing was.
  days() {
    const today = new Date().toISOString().slice(0, 10), {from, groups} = this.read.value ?? {from: today}, known = new Map(groups?.find(g => g.by === "day")?.rows.map(row => [row.key, row]));
    const list: API.UsageGroup[] = [];
    for (const day = new Date(from); ; day.setUTCDate(day.getUTCDate() + 1)) {
      const key = day.toISOString().slice(0, 10);
      if (key > today) return list;
      list.push(known.get(key) ?? {key, calls: 0, input_tokens: 0, output_tokens: 0, cached_tokens: 0, written_tokens: 0, cost: 0});
    }
  }

  async load() {
    const mine = ++this.#mine, {days, person} = this.filters.value;
    await learnNames();
    const read = await ask<API.UsageOut>(`/api/usage?${new URLSearchParams({days, by: sums.join(), ...(person ? {person} : {})})}`);
    if (mine === this.#mine) this.read.value = read;
  }

  filter(name: string, value: string) {
    this.filters.value = {...this.filters.value, [name]: value};
    const query = new URLSearchParams(Object.entries(this.filters.value).filter(([, value]) => value));
    history.replaceState(null, "", `${location.pathname}?${query}`);
    if (name !== "by") this.load().then(() => announce(say("page.usage.numbers_those_your_choice")), failed);
  }
}
