// The tasks that a page shows, each by its id: a card is drawn anew when its own
// task changes, and only then.

import type * as API from "../api_types";
import {ask, display, terminal} from "../api";
import {batch, type Signal, signal} from "../ui";
import {say, type Values, type Words} from "../words";
import {announce} from "./announcer";

const ends: Words<[Values]> = {completed: values => say("page.tasks.has_finished", values), failed: values => say("page.tasks.has_failed_at", values),
  canceled: values => say("page.tasks.was_canceled_at", values), rejected: values => say("page.tasks.did_not_begin", values)};

export class Tasks {
  read = signal(false); // all of them have been read
  #byID = new Map<string, Signal<API.Task | null>>(); // id → signal of the task; its value is null until it is known
  #query: URLSearchParams | undefined;
  #dirty = new Set<string>();
  #timer = 0;
  #requests = 0; // that were sent
  #newest = new Map<string, number>(); // task id → number of the request whose answer is stored
  #loading = false;

  constructor(query?: URLSearchParams) { this.#query = query; }

  get(id: string) {
    const known = this.#byID.get(id) ?? signal<API.Task | null>(null);
    this.#byID.set(id, known);
    return known;
  }

  all() { return [...this.#byID.values()].map(task => task.value).filter(task => task !== null); }

  // put stores a task, unless the answer to a later request is stored already. Without a number
  // it is the newest.
  put(task: API.Task, request = ++this.#requests) {
    if (request < (this.#newest.get(task.id) ?? 0)) return;
    this.#newest.set(task.id, request);
    const known = this.get(task.id), before = known.peek();
    if (JSON.stringify(before) === JSON.stringify(task)) return;
    if (before && !terminal(before.state) && terminal(task.state)) announce(ends[task.state]?.({agent: display(task.agent), title: task.title}) ?? "");
    known.value = task;
  }

  async load() {
    this.#dirty.clear();
    this.#loading = true;
    const request = ++this.#requests;
    const list = await ask<API.Task[]>(`/api/tasks?${this.#query}`).finally(() => { this.#loading = false; });
    batch(() => {
      for (const task of list) this.put(task, request);
      this.read.value = true;
    });
  }

  // changed has a task asked for soon; several at once are one request.
  changed(id: string) {
    this.#dirty.add(id);
    this.#timer ||= setTimeout(async () => {
      this.#timer = 0;
      const [one, ...others] = this.#dirty, whole = this.#dirty.has("*");
      if (!one) return; // the list was asked for meanwhile
      this.#dirty.clear();
      try {
        if (others.length || whole) return await this.load();
        const request = ++this.#requests;
        this.put(await ask<API.Task>(`/api/tasks/${one}`), request);
      } catch {
        // The next event tries again.
      }
    }, 150);
  }

  // list has all of them read, unless that was done before, or is being done.
  list() { if (!this.read.value && !this.#loading) this.changed("*"); }

  // told requests each ended task again of which it is not known how it was told. ended has the
  // tasks with an event of their end: what is stored of them may be older, or still be on its way.
  told(ended: Set<string>) {
    for (const [id, task] of this.#byID) {
      const {state, way} = task.peek() ?? {};
      if (!way && (ended.has(id) || state && terminal(state))) this.changed(id);
    }
  }
}
