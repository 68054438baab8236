// Sessions: the list with its filters, which are in the address, and the one whose id
// is behind the #. Where words were found, what has them is behind an @.

import type * as API from "../api_types";
import {ask, messageOf, Refusal} from "../api";
import {batch, signal} from "../ui";
import {say} from "../words";
import {may, me} from "./account";
import {announce} from "./announcer";
import {learnNames} from "./names";
import {sure} from "./question";

export const filterNames = ["q", "person", "agent", "state", "channel"];
const pageSize = 50;

// behind is what stands behind the #: the id of a session, and a place in it.
function behind() {
  const [id, found = ""] = location.hash.slice(1).split("@");
  return [id, found];
}

export class Sessions {
  filters = signal<Record<string, string>>(Object.fromEntries(filterNames.map(name => [name, new URLSearchParams(location.search).get(name) ?? ""])));
  list = signal<(API.Session | API.Hit)[]>([]);
  more = signal(false);   // there may be older ones
  says = signal("");      // of the list
  id = signal(behind()[0]);
  found = signal(behind()[1]); // the place in it where words were found, see placeOf in transcript.tsx
  shown = signal<Partial<API.Export> & {error?: string} | null>(null); // the session with this id, or {error}
  agents = signal<API.AgentView[]>([]);
  reminders = signal<API.Reminder[] | null>(null); // null: not for this person
  notes = signal<API.PersonNote[] | null>(null);
  #asked = 0;
  #typing = 0;

  constructor() {
    window.addEventListener("hashchange", () => this.open());
  }

  get searching() { return this.filters.value.q.trim() !== ""; }

  async begin() {
    this.agents.value = await ask<API.AgentView[]>("/api/agents");
    await learnNames();
    await Promise.all([this.find(), this.open(), this.remind(), this.note()]);
  }

  // filter changes one of the filters; what is being typed is waited for.
  filter(name: string, value: string) {
    this.filters.value = {...this.filters.value, [name]: value};
    const query = this.#query();
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
    clearTimeout(this.#typing);
    if (name === "q") this.#typing = setTimeout(() => this.find(), 250);
    else this.find();
  }

  async find(older = false) {
    const mine = ++this.#asked, query = this.#query(), searching = this.searching;
    query.set("limit", String(pageSize));
    const last = this.list.value.at(-1);
    if (older) query.set("before", last && "active" in last ? last.active : "");
    try {
      const found = await ask<(API.Session | API.Hit)[]>(searching ? `/api/sessions/search?${query}` : `/api/sessions?${query}`);
      if (mine !== this.#asked) return; // somebody typed on
      batch(() => {
        this.list.value = older ? [...this.list.value, ...found] : found;
        this.more.value = !searching && found.length === pageSize;
        this.says.value = this.list.value.length ? "" : searching ? say("page.nothing_was_found") : say("page.sessions.no_sessions");
      });
      if (searching) announce(this.says.value || say("page.found", {n: found.length}));
    } catch (error) {
      if (mine === this.#asked) this.says.value = messageOf(error);
    }
  }

  async open() {
    const before = this.id.value, [id, found] = behind();
    batch(() => {
      [this.id.value, this.found.value] = [id, found];
      if (id !== before) this.shown.value = null;
    });
    if (!id) return;
    try {
      const shown = await ask<API.Export>(`/api/sessions/${encodeURIComponent(id)}`);
      if (id === this.id.value) this.shown.value = shown;
    } catch (error) {
      if (id === this.id.value) this.shown.value = {error: messageOf(error)};
    }
  }

  async remove(id: string) {
    if (!await sure(say("page.sessions.delete_this_session"), say("page.delete"), say("page.sessions.was_said_notes_made"))) return;
    let gone: API.DeleteSessionOut;
    try {
      gone = await ask<API.DeleteSessionOut>(`/api/sessions/${id}`, undefined, "DELETE");
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 409) throw error;
      if (!await sure(say("page.sessions.delete_all_same"), say("page.sessions.cancel_them_and_delete"), error.message)) return;
      gone = await ask<API.DeleteSessionOut>(`/api/sessions/${id}?force=true`, undefined, "DELETE");
    }
    location.hash = "";
    await this.find();
    this.says.value = say("page.sessions.removed", {what: removed(gone.removed)});
    announce(this.says.value);
  }

  async remind() { if (may("GET /api/reminders")) this.reminders.value = await ask<API.Reminder[]>("/api/reminders"); }

  async note() { if (may("GET /api/memory")) this.notes.value = await ask<API.PersonNote[]>("/api/memory"); }

  isMine(person: string) { return person === me.value?.id; }

  #query() {
    const filters = Object.entries(this.filters.value).map(([name, value]) => [name, value.trim()]).filter(([, value]) => value);
    return new URLSearchParams(filters);
  }
}

// removed tells what was deleted, in the words that it has: "9 messages, 1 task".
function removed(counts: Record<string, number>) {
  return Object.entries(counts).map(([kind, n]) => `${n} ${n === 1 ? kind.replace(/s$/, "") : kind}`).join(", ") || "the session";
}
