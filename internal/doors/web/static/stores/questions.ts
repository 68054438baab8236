// What waits for an answer, and what became of it: the questions that a page shows, each
// by its id.

import type * as API from "../api_types";
import {ask} from "../api";
import {batch, type Signal, signal} from "../ui";
import {load} from "./account";

const step = 200;  // so many are shown at once, and so many more with each request for older ones
const most = 1000; // that the API lists

// Given is what a person answers.
export interface Given {
  text?: string;
  hash?: string;
  decline?: boolean;
}

export class Questions {
  open = signal<string[]>([]); // ids of those that wait, the oldest first
  over = signal<string[]>([]); // ids of those that are over, the last one first
  read = signal(false);
  more = signal(false); // there are older ones
  #shown = step;
  #byID = new Map<string, Signal<API.QuestionView | null>>(); // id → signal of the question; its value is null until it is known
  #filters: Record<string, string>;
  #onlyOpen: boolean;
  #timer = 0;
  #asked = 0;

  // filters says whose questions, or of which chat; with onlyOpen, those that are over are
  // of no interest.
  constructor(filters: Record<string, string>, {onlyOpen = false} = {}) {
    this.#filters = filters;
    this.#onlyOpen = onlyOpen;
  }

  get(id: string) {
    const known = this.#byID.get(id) ?? signal<API.QuestionView | null>(null);
    this.#byID.set(id, known);
    return known;
  }

  of(filters: Record<string, string>) {
    this.#filters = filters;
    return this.load();
  }

  async load() {
    const mine = ++this.#asked;
    const list = (all: boolean) => ask<API.QuestionView[]>(`/api/questions?${new URLSearchParams({...this.#filters, limit: String(this.#shown), ...(all ? {all: "true"} : {})})}`);
    const [open, latest] = await Promise.all([list(false), this.#onlyOpen ? [] : list(true)]);
    if (mine === this.#asked) this.take(open, latest); // else it was asked for anew meanwhile
  }

  // take shows those that wait and the latest, as the API lists them.
  take(open: API.QuestionView[], latest: API.QuestionView[]) {
    const known = this.read.peek(), before = this.open.peek().join();
    const over = latest.filter(q => q.state !== "open").sort((a, b) => Date.parse(b.answered ?? "") - Date.parse(a.answered ?? ""));
    batch(() => {
      for (const q of [...over, ...open]) this.#put(q);
      put(this.open, open.map(q => q.id).filter(id => this.get(id).value?.state === "open"));
      put(this.over, over.map(q => q.id));
      this.more.value = this.#shown < most && Math.max(open.length, latest.length) >= this.#shown;
      this.read.value = true;
    });
    if (known && this.open.peek().join() !== before) load().catch(() => {}); // the header counts them
  }

  // older has more of them read.
  older() {
    this.#shown = Math.min(this.#shown + step, most);
    return this.load();
  }

  // changed has the list read soon; several changes are one request.
  changed() {
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      this.load().catch(() => {}); // the next event tries again
    }, 100);
  }

  // answer says what a person answers: {text}, or {decline: true}.
  async answer(id: string, given: Given) {
    try {
      const q = await ask<API.QuestionView>(`/api/questions/${id}/answer`, given);
      batch(() => {
        this.#put(q);
        put(this.open, this.open.peek().filter(one => one !== id));
        put(this.over, [id, ...this.over.peek().filter(one => one !== id)]);
      });
      return q;
    } finally {
      this.changed(); // of two answers the first counts, and it may have been another's
      load().catch(() => {}); // fewer wait now
    }
  }

  // What is over stays so, whatever an answer says that was on its way before.
  #put(q: API.QuestionView) {
    const known = this.get(q.id), before = known.peek();
    if (before && before.state !== "open" && q.state === "open" || JSON.stringify(before) === JSON.stringify(q)) return;
    known.value = q;
  }
}

function put(list: Signal<string[]>, ids: string[]) {
  if (ids.join() !== list.peek().join()) list.value = ids;
}
