// Which of the person's messages no turn has taken yet: those can be changed, or taken back.

import type * as API from "../api_types";
import {ask} from "../api";
import {signal} from "../ui";

export class Held {
  ids = signal(new Set<string>()); // of messages
  #path: string;
  #timer = 0;

  constructor(path: string) { this.#path = path; }

  // changed has the list asked for soon; several at once are one request.
  changed() {
    this.#timer ||= setTimeout(async () => {
      this.#timer = 0;
      try {
        const ids = (await ask<API.WaitingMessage[]>(`${this.#path}/waiting`)).map(m => m.message_id);
        if (ids.join() !== [...this.ids.peek()].join()) this.ids.value = new Set(ids);
      } catch {
        // The next event tries again.
      }
    }, 200);
  }

  // moved is told that a turn goes on, or has ended: what waited may have been taken.
  moved() {
    if (this.ids.peek().size) this.changed();
  }

  async edit(id: string, text: string) {
    await ask(`${this.#path}/messages/${encodeURIComponent(id)}`, {text}, "PUT").finally(() => this.changed());
  }

  async withdraw(id: string) {
    await ask(`${this.#path}/messages/${encodeURIComponent(id)}`, undefined, "DELETE").finally(() => this.changed());
  }
}
