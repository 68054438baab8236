// What was used in some days, by one person or by everybody.

import {signal} from "../ui.js";
import {say} from "../words.js";
import {failed} from "./account.js";
import {announce} from "./announcer.js";
import {learnNames} from "./names.js";

export const sums = ["day", "agent", "person", "model", "tree"];

export class Usage {
  filters = signal({days: "30", person: "", by: "", ...Object.fromEntries(new URLSearchParams(location.search))});
  read = signal(null);
  #ask;
  #mine = 0;

  constructor(ask) { this.#ask = ask; }

  // measure is what bars are as long as: what it has cost, where prices are known.
  get measure() { return this.filters.value.by || (this.read.value?.total.cost ? "cost" : "tokens"); }

  // days are all of them with what was used, those too in which nothing was.
  days() {
    const {from, groups} = this.read.value, known = new Map(groups.find(g => g.by === "day").rows.map(row => [row.key, row]));
    const list = [], today = new Date().toISOString().slice(0, 10);
    for (const day = new Date(from); ; day.setUTCDate(day.getUTCDate() + 1)) {
      const key = day.toISOString().slice(0, 10);
      if (key > today) return list;
      list.push(known.get(key) ?? {key, calls: 0, input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost: 0});
    }
  }

  async load() {
    const mine = ++this.#mine, {days, person} = this.filters.value;
    await learnNames();
    const read = await this.#ask(`/api/usage?${new URLSearchParams({days, by: sums, ...(person && {person})})}`);
    if (mine === this.#mine) this.read.value = read;
  }

  filter(name, value) {
    this.filters.value = {...this.filters.value, [name]: value};
    const query = new URLSearchParams(Object.entries(this.filters.value).filter(([, value]) => value));
    history.replaceState(null, "", `${location.pathname}?${query}`);
    if (name !== "by") this.load().then(() => announce(say("page.usage.numbers_those_your_choice")), failed);
  }
}
