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
  ids = signal<string[]>([]); // as the server lists them, the newest first
  read = signal(false); // all of them
  #byID = new Map<string, Signal<API.Task | null>>(); // id → signal of the task; its value is null until it is known
  #query: URLSearchParams | undefined;
  #dirty = new Set<string>();
  #timer = 0;
  #loading = false;

  constructor(query?: URLSearchParams) { this.#query = query; }

  get(id: string) {
    const known = this.#byID.get(id) ?? signal<API.Task | null>(null);
    this.#byID.set(id, known);
    return known;
  }

  all() { return [...this.#byID.values()].map(task => task.value).filter(task => task !== null); }

  put(task: API.Task) {
    const known = this.get(task.id), before = known.peek();
    if (JSON.stringify(before) === JSON.stringify(task)) return;
    if (before && !terminal(before.state) && terminal(task.state)) announce(ends[task.state]?.({agent: display(task.agent), title: task.title}) ?? "");
    known.value = task;
  }

  async load() {
    this.#dirty.clear();
    this.#loading = true;
    const list = await ask<API.Task[]>(`/api/tasks?${this.#query}`).finally(() => { this.#loading = false; });
    batch(() => {
      const ids = list.map(task => task.id);
      if (ids.join() !== this.ids.peek().join()) this.ids.value = ids;
      for (const task of list) this.put(task);
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
        this.put(await ask<API.Task>(`/api/tasks/${one}`));
      } catch {
        // The next event tries again.
      }
    }, 150);
  }

  // list has all of them read, unless that was done before, or is being done.
  list() { if (!this.read.value && !this.#loading) this.changed("*"); }

  // told has those asked for again whose end is known, but not how it was told.
  told() {
    for (const task of this.all()) if (terminal(task.state) && !task.way) this.changed(task.id);
  }
}
