// The person's messages that wait until the agent reads them: they can be changed or taken back.

import type * as API from "../api_types";
import {ask} from "../api";
import {computed, signal} from "../ui";

export class Held {
  list = signal<API.WaitingMessage[]>([]); // oldest first
  ids = computed(() => new Set(this.list.value.map(m => m.message_id)));
  #path: string;
  #timer = 0;

  constructor(path: string) { this.#path = path; }

  // changed has the list read soon; several changes are one request.
  changed() {
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      this.load().catch(() => {}); // the next event tries again
    }, 200);
  }

  async load() {
    const list = await ask<API.WaitingMessage[]>(`${this.#path}/waiting`);
    if (JSON.stringify(list) !== JSON.stringify(this.list.peek())) this.list.value = list;
  }

  // add shows a message in the list before the list is read.
  add(message: API.WaitingMessage) {
    if (!this.ids.peek().has(message.message_id)) this.list.value = [...this.list.peek(), message];
    this.changed();
  }

  // drop removes a message that was taken back, or that a turn has taken.
  drop(id: string) {
    if (this.ids.peek().has(id)) this.list.value = this.list.peek().filter(m => m.message_id !== id);
  }

  // moved is called when a turn goes on or ends: it may have taken messages.
  moved() {
    if (this.list.peek().length) this.changed();
  }

  async edit(id: string, text: string) {
    await ask(`${this.#path}/messages/${encodeURIComponent(id)}`, {text}, "PUT").finally(() => this.changed());
  }

  async withdraw(id: string) {
    await ask(`${this.#path}/messages/${encodeURIComponent(id)}`, undefined, "DELETE").finally(() => this.changed());
  }
}
