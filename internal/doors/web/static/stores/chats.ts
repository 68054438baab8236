// The chats of this person on all channels, which of them the page shows, and what was
// found in them.

import type * as API from "../api_types";
import {ask, messageOf} from "../api";
import {batch, computed, signal} from "../ui";
import {say} from "../words";
import {may} from "./account";
import {announce} from "./announcer";
import {poll} from "./poll";

const mostHits = 20;

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

export class Chats {
  list = signal<API.Chat[]>([]); // as the server has them
  searching = signal(false);
  found = signal<{chats: API.Chat[]; hits: API.Hit[]; says: string; q: string} | null>(null); // null: nothing was looked for
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

  // find looks for words: in titles at once, and in what was said when nobody types on.
  find(text: string) {
    const mine = ++this.#asked, q = text.trim();
    clearTimeout(this.#typing);
    if (!q) {
      this.found.value = null;
      return;
    }
    const chats = this.list.value.filter(c => c.title.toLowerCase().includes(q.toLowerCase()));
    this.found.value = {chats, hits: this.found.peek()?.hits ?? [], says: "", q};
    this.#typing = setTimeout(async () => {
      let hits: API.Hit[] = [], says = "";
      try {
        if (may("GET /api/sessions/search")) hits = await ask<API.Hit[]>(`/api/sessions/search?${new URLSearchParams({q, limit: String(mostHits)})}`);
        says = chats.length + hits.length ? "" : say("page.nothing_was_found");
      } catch (error) {
        says = messageOf(error);
      }
      if (mine !== this.#asked) return; // somebody typed on
      batch(() => {
        this.found.value = {chats, hits, says, q};
        announce(says || say("page.found", {n: chats.length + hits.length}));
      });
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
