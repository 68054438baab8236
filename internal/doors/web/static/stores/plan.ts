// What the agent of a chat means to do: as its session has it, read again when an event
// says that it has changed.

import type * as API from "../api_types";
import {ask, doneOf} from "../api";
import {computed, signal} from "../ui";

export class Plan {
  #path: string;
  #session = signal<API.Session | null>(null); // as it was last read
  #latest = signal({id: "", turn: 0});   // the session and the turn that were last heard of
  #timer = 0;
  #asked = 0;

  // shown is the plan while there is something left to do, and in the turn in which it
  // was written; else null.
  shown = computed(() => {
    const session = this.#session.value, latest = this.#latest.value;
    if (!session?.plan) return null;
    const {id, turns, plan} = session;
    if (latest.id && latest.id !== id) return null;
    return plan.turn === Math.max(turns, latest.turn) || doneOf(plan) < plan.items.length ? plan : null;
  });

  constructor(chat: string) { this.#path = `/api/sessions?${new URLSearchParams({chat, limit: "1"})}`; }

  // heard notes which turn an event is of.
  heard({session_id: id, turn}: Pick<API.Event, "session_id" | "turn">) {
    const latest = this.#latest.peek();
    if (id && turn && (latest.id !== id || latest.turn < turn)) this.#latest.value = {id, turn};
  }

  // changed has the plan read soon; several changes are one request.
  changed() {
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      this.load().catch(() => {}); // the next event tries again
    }, 50);
  }

  async load() {
    const mine = ++this.#asked;
    const [session] = await ask<API.Session[]>(this.#path);
    if (mine === this.#asked) this.take(session); // else it was asked for anew meanwhile
  }

  // take knows the session of the chat, as the API has it; nothing: there is none.
  take(session?: API.Session) {
    this.#session.value = session ?? null;
    if (session) this.heard({session_id: session.id, turn: session.turns});
  }
}
