// The panel of work beside a chat: whether it is shown, and what it shows that the conversation
// does not know: the files and the reminders of the chat.

import type * as API from "../api_types";
import {ask, display} from "../api";
import {batch, computed, effect, signal} from "../ui";
import {may} from "./account";
import {called} from "./names";
import type {Conversation} from "./conversation";

const room = matchMedia("(min-width: 1101px)"), stored = "work-panel";
const settled = 1000;  // milliseconds without news after which both are read again

// beside holds while there is room for the panel beside the chat. Else it is a drawer.
export const beside = signal(room.matches);
export const shown = signal(room.matches && localStorage.getItem(stored) !== "closed");

// show opens or closes the panel. For the panel beside the chat, the browser remembers it.
export function show(open: boolean) {
  shown.value = open;
  if (beside.value) localStorage.setItem(stored, open ? "open" : "closed");
}

room.addEventListener("change", () => batch(() => {
  beside.value = room.matches;
  shown.value = room.matches && localStorage.getItem(stored) !== "closed";
}));

// If the browser comes back to this page, the drawer is closed.
addEventListener("pagehide", () => { if (!beside.value) shown.value = false; });

// A ChatFile is a file that an agent keeps for the chat, or one that was sent in it.
export interface ChatFile {
  name: string; // with its folder
  type: string;
  size: number;
  created?: string;
  by?: string;  // who wrote or sent it
  href: string; // of its content
}

// previewed is the file that the page shows before all else.
export const previewed = signal<ChatFile | null>(null);

export class Work {
  files = signal<ChatFile[]>([]); // the latest first
  reminders = signal<API.Reminder[]>([]);
  #conversation: Conversation;
  #timer = 0;
  #read = false;

  constructor(conversation: Conversation) { this.#conversation = conversation; }

  // follow reads both when the chat has been read, and its tasks if the person may see them, and
  // again after there is news of them. It returns what ends it.
  follow() {
    const {tasks, entries, working, read} = this.#conversation;
    const asked = computed(() => read.value && may("GET /api/tasks"));
    const list = effect(() => { if (asked.value) tasks.list(); });
    const news = computed(() => read.value && (tasks.read.value || !asked.value) && [entries.value.at(-1)?.key, working.value, ...tasks.all().map(t => `${t.id} ${t.state} ${t.model_calls}`)].join());
    const end = effect(() => { if (news.value !== false) this.changed(); });
    return () => {
      list();
      end();
      clearTimeout(this.#timer);
    };
  }

  // changed has both read soon: several changes are one request.
  changed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.load().catch(error => console.warn("Files and reminders are not read:", error)), this.#read ? settled : 0);
  }

  async load() {
    if (!may("GET /api/sessions/{chat}/work")) return;
    this.#read = true;
    const {session_id, kept, sent, reminders} = await ask<API.ChatWork>(`${this.#conversation.path}/work`);
    batch(() => {
      this.reminders.value = reminders;
      this.files.value = [
        ...kept.map((f): ChatFile => ({name: f.path, type: f.type, size: f.size, created: f.created, by: f.agent ? display(f.agent) : called(f.person), href: `/api/files/${session_id}/content?path=${encodeURIComponent(f.path)}`})),
        ...sent.map((f): ChatFile => ({name: f.name || f.id, type: f.type, size: f.size, created: f.created, by: called(f.person), href: `/api/artifacts/${f.id}`})),
      ].sort((a, b) => Date.parse(b.created ?? "") - Date.parse(a.created ?? ""));
    });
  }
}

let work: Work | undefined;

// workOf returns the work of the chat that the page shows.
export const workOf = (conversation: Conversation) => work ??= new Work(conversation);
