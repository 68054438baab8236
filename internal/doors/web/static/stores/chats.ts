// The chats of this person on all channels, which of them the page shows, and what was
// found in them.

import type * as API from "../api_types";
import {ask, messageOf, Refusal} from "../api";
import {batch, computed, signal} from "../ui";
import {say} from "../words";
import {may, me} from "./account";
import {announce} from "./announcer";
import {poll} from "./poll";
import {sure} from "./question";

const mostHits = 20;
const maxTasks = 6;

// The list is read again so often: a stream of its own would be one more of the few
// connections that a browser opens, see events.ts. What happens in the chat that is shown
// has it read at once.
const often = 15000; // milliseconds

// newChat is the address of a chat that is not there yet.
export function newChat() {
  const letters = "23456789abcdefghjkmnpqrstuvwxyz";
  return `/?chat=${[...crypto.getRandomValues(new Uint8Array(8))].map(n => letters[n % letters.length]).join("")}`;
}

// addressOf is where a chat is shown: those that the page cannot write into are read.
export const addressOf = (route: Pick<API.Route, "channel" | "chat">, session: string) => route.channel === "web" ? `/?chat=${encodeURIComponent(route.chat ?? "")}` : `/?session=${session}`;

// Found has the search results for q.
export interface Found {
  q: string;
  chats: API.Chat[];
  hits: API.Hit[];
  tasks: API.Task[];
  agents: string[];
  says: string;
}

export class Chats {
  list = signal<API.Chat[]>([]); // as the server has them
  searching = signal(false);
  found = signal<Found | null>(null); // null: no search
  looked = Promise.resolve(); // until the list shows what was found for the latest words
  #chat: string;           // the one that is shown: its name, or the id of its session
  #session: string | null;
  #seen = 0;               // id of the last event that was seen of it
  #told = 0;
  #telling = 0;
  #soon = 0;
  #asked = 0;
  #typing = 0;
  #look: () => void = () => {};

  constructor({chat, session}: {chat: string; session: string | null}) {
    this.#chat = chat;
    this.#session = session;
  }

  // open is the chat that is shown; nothing before its first message.
  open = computed(() => this.list.value.find(c => this.isOpen(c)));

  // isNew is true while the chat on the page has no message.
  isNew = computed(() => !this.#session && !this.open.value);

  isOpen(c: API.Chat) { return this.#session ? c.session_id === this.#session : c.route.channel === "web" && c.route.chat === this.#chat; }

  // begin looks again and again. A conversation has read the list already, and tells
  // whether errand can be reached.
  begin(list?: API.Chat[]) {
    const silent = () => {};
    if (list) this.#take(list);
    this.#look = list ? poll(() => this.load(), often, {reached: silent, failed: silent}, true) : poll(() => this.load(), often);
    document.addEventListener("visibilitychange", () => this.#tell());
  }

  async load() {
    if (!may("GET /api/chats")) return;
    this.#take(await ask<API.Chat[]>("/api/chats"));
    this.#tell();
  }

  #take(list: API.Chat[]) {
    if (JSON.stringify(list) !== JSON.stringify(this.list.peek())) this.list.value = list;
  }

  // heard is told that something was said in the chat that is shown.
  heard() {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.#look(), 300);
  }

  // saw notes up to which event the chat that is shown was read. What is shown when it is
  // opened is told at once: somebody may be about to leave.
  saw(id: number, atOnce = false) {
    this.#seen = Math.max(this.#seen, id);
    if (atOnce) this.#tell();
    this.#telling ||= setTimeout(() => {
      this.#telling = 0;
      this.#tell();
    }, 500);
  }

  async change(c: API.Chat, to: {name?: string; pinned?: boolean; archived?: boolean}) {
    await ask(`/api/chats/${c.session_id}`, to);
    await this.load();
  }

  // remove asks for confirmation and deletes all sessions of a chat, also those from before it was
  // started over. It asks again if errands are still at work.
  async remove(c: API.Chat) {
    if (!await sure(say("page.chat_menu.delete_chat", {title: c.title || say("page.chat_list.new_chat")}), say("page.delete"), say("page.chat_menu.what_goes"))) return;
    const {channel, chat} = c.route, earlier = channel === "web" ? await ask<API.Session[]>(`/api/sessions?${new URLSearchParams({channel, chat: chat ?? "", limit: "1000"})}`) : [];
    let force = false;
    const remove = (id: string) => ask(`/api/sessions/${id}${force ? "?force=true" : ""}`, undefined, "DELETE");
    for (const id of [...earlier.filter(s => s.person === me.value?.id && s.id !== c.session_id).map(s => s.id), c.session_id]) {
      try {
        await remove(id);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 409) throw error;
        if (!await sure(say("page.sessions.delete_all_same"), say("page.sessions.cancel_them_and_delete"), error.message)) return;
        force = true;
        await remove(id);
      }
    }
    if (this.isOpen(c)) location.assign(newChat());
    else await this.load();
  }

  // find searches titles of chats and names of agents at once, messages and tasks after a pause in typing.
  find(text: string) {
    const mine = ++this.#asked, q = text.trim(), before = this.found.peek(), {promise, resolve} = Promise.withResolvers<void>();
    clearTimeout(this.#typing);
    this.looked = promise;
    if (!q) {
      this.found.value = null;
      return;
    }
    const has = (name: string) => name.toLowerCase().includes(q.replace(/^@/, "").toLowerCase());
    const mention = q.startsWith("@"); // only agents
    const chats = mention ? [] : this.list.value.filter(c => has(c.title)), agents = me.value?.agents.filter(has) ?? [];
    this.found.value = {q, chats, agents, hits: !mention && before?.hits || [], tasks: !mention && before?.tasks || [], says: ""};
    this.#typing = setTimeout(async () => {
      let hits: API.Hit[] = [], tasks: API.Task[] = [], says = "";
      try {
        [hits, tasks] = await Promise.all([
          !mention && may("GET /api/sessions/search") ? ask<API.Hit[]>(`/api/sessions/search?${new URLSearchParams({q, limit: String(mostHits)})}`) : [],
          !mention && may("GET /api/tasks") ? ask<API.Task[]>(`/api/tasks?${new URLSearchParams({q, limit: String(maxTasks)})}`) : [],
        ]);
      } catch (error) {
        says = messageOf(error);
      }
      if (mine !== this.#asked) return; // somebody typed on
      const n = chats.length + agents.length + hits.length + tasks.length;
      says ||= n ? "" : say("page.nothing_was_found");
      batch(() => {
        this.found.value = {q, chats, agents, hits, tasks, says};
        announce(says || say("page.found", {n}));
      });
      requestAnimationFrame(() => resolve()); // once they are drawn
    }, 250);
  }

  // titleOf is what a chat is called in which something was found.
  titleOf(hit: API.Hit) {
    return this.list.value.find(c => c.route.channel === hit.channel && c.route.chat === hit.chat)?.title ?? "";
  }

  // #tell says what somebody has seen: what came while nobody looks is not seen.
  async #tell() {
    const c = this.open.peek();
    if (!c || document.hidden || this.#told >= this.#seen || !may("POST /api/chats/{id}")) return;
    const seen = this.#told = this.#seen;
    try {
      await ask(`/api/chats/${c.session_id}`, {seen});
      if (c.unread) this.heard();
    } catch {
      if (this.#told === seen) this.#told = 0; // the next event tries again
    }
  }
}
