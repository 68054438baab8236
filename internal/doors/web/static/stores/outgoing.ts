// Messages on their way to errand. Each is kept in the browser under its id until
// errand has it, and goes by itself when errand is back: with the same id, what was
// accepted after all is not accepted twice.

import type * as API from "../api_types";
import {ask, Refusal} from "../api";
import {signal} from "../ui";
import {say} from "../words";
import {keepFiles, keptFiles, sweepFiles, type WaitingFile} from "./files";

// A Message is one that errand may not have yet.
export interface Message {
  id: string;
  text: string;
  files: WaitingFile[];
  at: number;
  replaces?: string; // id of the message that it replaces
  state: "sending" | "unsent" | "sent" | "refused";
  error?: string;
}

// An Answer is what errand says at once to a message.
export type Answer = API.Reply & Partial<API.Accepted>;

export const isCommand = (text: string) => /^\/[^\s/]*(\s|$)/.test(text); // as errand.IsCommand

// kept is what the browser has under a key; nothing if it is no message.
function kept(key: string): Omit<Message, "files"> & {files: number} | null {
  try {
    const m = JSON.parse(localStorage.getItem(key) ?? "null");
    return typeof m?.id === "string" && typeof m.text === "string" ? {...m, files: Number.isInteger(m.files) ? m.files : 0} : null;
  } catch {
    return null;
  }
}

const newID = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

export class Outgoing {
  list = signal<Message[]>([]);
  #path: string;
  #chat: string;
  #answered: (message: Message, answer: Answer) => void;
  #prefix = "";  // of the keys of what is kept; empty until it is known whose it is
  #busy = false;
  #timer = 0;

  // answered is called with what errand says at once to a message.
  constructor(path: string, chat: string, answered: (message: Message, answer: Answer) => void) {
    this.#path = path;
    this.#chat = chat;
    this.#answered = answered;
  }

  // of says whose messages these are: another's, who used this browser before, are
  // not sent.
  async of(person: string) {
    if (this.#prefix) return;
    const prefix = `unsent:${person}:${this.#chat}:`;
    const found = await Promise.all(Object.keys(localStorage).filter(key => key.startsWith(prefix)).map(kept).filter(m => m !== null).map(async (m): Promise<Message> => {
      if (!m.files) return {...m, files: []};
      const files = await keptFiles(prefix + m.id);
      return {...m, files, ...files.length < m.files && {state: "refused" as const, error: say("page.outgoing.browser_has_not_kept")}};
    }));
    sweepFiles(prefix, key => localStorage.getItem(key) !== null);
    this.#prefix = prefix;
    const fresh = this.list.value;
    this.list.value = [...found.filter(m => !fresh.some(f => f.id === m.id)).sort((a, b) => a.at - b.at), ...fresh];
    for (const message of fresh) this.#keep(message);
  }

  send(text: string, files: WaitingFile[] = [], replaces?: string) {
    const message: Message = {id: newID(), text, files, at: Date.now(), replaces, state: "sending"};
    this.list.value = [...this.list.value, message];
    this.#keep(message);
    this.flush();
    return message.id;
  }

  // again sends an unsent message now.
  again(id: string) {
    this.#change(id, {state: "sending", error: ""});
    this.flush();
  }

  // drop forgets a message: errand has it, or it is not to be sent.
  drop(id: string) {
    this.#forget(id);
    if (this.list.value.some(m => m.id === id)) this.list.value = this.list.value.filter(m => m.id !== id);
  }

  // back has everything sent that waits for errand. A command waits for its sender:
  // what "/stop" was to stop may be over.
  back() {
    for (const m of this.list.value) if (m.state === "unsent" && !isCommand(m.text)) this.#change(m.id, {state: "sending", error: ""});
    this.flush();
  }

  // flush sends one message after the other, in their order.
  async flush() {
    if (this.#busy) return;
    this.#busy = true;
    for (let next: Message | undefined; (next = this.list.value.find(m => m.state === "sending"));) {
      try {
        const answer = await ask<Answer>(`${this.#path}/messages?wait=false`, {text: next.text, message_id: next.id, replaces: next.replaces, files: next.files?.length ? next.files : undefined});
        this.#forget(next.id);
        if (answer.command || answer.duplicate) this.drop(next.id);
        else this.#change(next.id, {state: "sent"}, true);
        this.#answered(next, answer);
      } catch (error) {
        const final = error instanceof Refusal && error.final, refused = final && ![401, 408, 429].includes(error.status);
        this.#change(next.id, {state: refused ? "refused" : "unsent", error: final ? error.message : ""});
        if (!refused) {
          this.#later();
          break;
        }
      }
    }
    // What is behind one that waits, waits too.
    const waits = this.list.value.some(m => m.state === "unsent");
    for (const m of this.list.value) if (waits && m.state === "sending") this.#change(m.id, {state: "unsent"});
    this.#busy = false;
  }

  #later() {
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      this.back();
    }, 5000);
  }

  #change(id: string, change: Partial<Message>, gone = false) {
    this.list.value = this.list.value.map(m => m.id === id ? {...m, ...change} : m);
    const message = this.list.value.find(m => m.id === id);
    if (message && !gone) this.#keep(message);
  }

  #forget(id: string) {
    if (!this.#prefix || localStorage.getItem(this.#prefix + id) === null) return;
    if (kept(this.#prefix + id)?.files) keepFiles(this.#prefix + id, []);
    localStorage.removeItem(this.#prefix + id);
  }

  #keep({id, text, files, at, replaces, state, error}: Message) {
    if (!this.#prefix || state === "sent") return;
    const key = this.#prefix + id;
    if (files?.length && localStorage.getItem(key) === null) keepFiles(key, files);
    try {
      localStorage.setItem(key, JSON.stringify({id, text, at, replaces, error, files: files?.length || undefined, state: state === "sending" ? "unsent" : state}));
    } catch (error) {
      console.warn("A message is kept on this page only:", error); // the browser has no room
    }
  }
}
