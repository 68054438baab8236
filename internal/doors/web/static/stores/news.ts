// What comes while nobody looks at the page: it is counted in the title and on the icon,
// and told by the browser where the person wants that. All of it goes when somebody looks.

import type * as API from "../api_types";
import {ask} from "../api";
import {effect, type Signal, signal} from "../ui";
import {say} from "../words";
import {me} from "./account";
import type {Chats} from "./chats";
import * as push from "./push";

const often = 10000; // milliseconds; browsers make it a minute for tabs that were not seen for long
const longest = 200; // characters of a result in a notification

// can holds where browsers tell people anything: not over plain HTTP from elsewhere.
export const can = "Notification" in window && window.isSecureContext;

// wanted is what a person has said about being told: "" nothing yet, "no", "yes", or
// "words", with what the result says; and allowed what the browser says about it.
export const wanted = signal("");
export const allowed = signal(can ? Notification.permission : "denied");

const keyOf = (person: string) => `notify:${person}`;

export async function want(what: string) {
  if (what !== "no" && allowed.value !== "granted") allowed.value = await Notification.requestPermission();
  wanted.value = what;
  if (me.value) localStorage.setItem(keyOf(me.value.id), what);
}

export class News {
  #count: Signal<number>;
  #chats: Chats;
  #before = new Map<string, number>(); // what was unread when somebody looked last, by session
  #told = 0;           // the latest that was told
  #shown: Notification[] = []; // notifications
  #timer = 0;

  // count is a signal of how much it is.
  constructor(chats: Chats, count: Signal<number>) {
    this.#chats = chats;
    this.#count = count;
    effect(() => { if (me.value) wanted.value = localStorage.getItem(keyOf(me.value.id)) ?? ""; });
    push.restore(() => wanted.peek() === "words");
    // What the service worker has told is told.
    navigator.serviceWorker?.addEventListener("message", ({data}) => { this.#told = Math.max(this.#told, data?.told ?? 0); });
    effect(() => this.#look(chats.list.value));
    effect(() => mark(this.#count.value));
    document.addEventListener("visibilitychange", () => document.hidden ? this.#leave() : this.#come());
  }

  #leave() {
    this.#note(this.#chats.list.value);
    const turn = async () => {
      await this.#chats.load().catch(() => {}); // the next time
      if (document.hidden) this.#timer = setTimeout(turn, often);
    };
    this.#timer = setTimeout(turn, often);
  }

  #come() {
    clearTimeout(this.#timer);
    this.#count.value = 0;
    for (const shown of this.#shown.splice(0)) shown.close();
  }

  #look(list: API.Chat[]) {
    if (!document.hidden) return this.#note(list);
    this.#count.value = list.reduce((n, c) => n + Math.max(0, c.unread - (this.#before.get(c.session_id) ?? 0)), 0);
    for (const c of list) {
      if (!c.news || c.news.id <= this.#told) continue;
      this.#told = c.news.id;
      this.#tell(c, c.news).catch(error => console.warn("Nobody is told:", error));
    }
  }

  #note(list: API.Chat[]) {
    this.#before = new Map(list.map(c => [c.session_id, c.unread]));
    this.#told = Math.max(this.#told, ...list.map(c => c.news?.id ?? 0));
  }

  // #tell has the browser say that something has come, once for all tabs. What it is may
  // be nobody else's to read: that is said to whoever wants it.
  async #tell(c: API.Chat, news: API.News) {
    if (!can || Notification.permission !== "granted" || !["yes", "words"].includes(wanted.value)) return;
    const asks = news.type === "question";
    let body = say(asks ? "push.question" : "push.result");
    if (wanted.value === "words" && c.route.channel === "web") {
      const [event] = await ask<API.Event[]>(`/api/sessions/${encodeURIComponent(c.route.chat ?? "")}/events?before=${news.id + 1}&limit=1`);
      if (event?.text) body = event.text.length > longest ? `${event.text.slice(0, longest - 1)}…` : event.text;
    }
    const address = c.route.channel === "web" ? `/?chat=${encodeURIComponent(c.route.chat ?? "")}#e${news.id}` : "/";
    const options = {body, tag: `errand-${news.id}`, icon: "/icon.svg", data: address};
    if (!document.hidden) return;
    let shown: Notification;
    try {
      shown = new Notification("errand", options);
    } catch {
      return (await navigator.serviceWorker.ready).showNotification("errand", options); // on phones a page cannot
    }
    shown.onclick = () => {
      window.focus();
      if (address !== `${location.pathname}${location.search}`) location.assign(address);
      shown.close();
    };
    this.#shown.push(shown);
  }
}

// mark puts a badge on the icon of the page, and on that of the app where it is installed.
function mark(n: number) {
  document.querySelector<HTMLLinkElement>("link[rel=icon]")!.href = n ? "icon_news.svg" : "icon.svg";
  if (n) navigator.setAppBadge?.(n).catch(() => {});
  else navigator.clearAppBadge?.().catch(() => {});
}
