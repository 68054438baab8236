// Being told while no page is open: the browser's push service wakes the service worker,
// which says what has come. Each browser is asked for itself.

import type * as API from "../api_types";
import {ask} from "../api";
import {effect, signal} from "../ui";
import {say} from "../words";
import {may, me} from "./account";

// can holds where browsers have that: not over plain HTTP from elsewhere.
export const can = "PushManager" in window && "serviceWorker" in navigator && window.isSecureContext;

// wanted is what this person has said about it in this browser: "" nothing yet, "no" or "yes".
export const wanted = signal("");

const keyOf = (person: string) => `push:${person}`;
const idOf = (person: string) => `push_id:${person}`;

// restore reads what was said, and subscribes anew where that was yes: the push service may
// have forgotten this browser meanwhile, or errand has another key, or a login of its own.
export function restore(words: () => boolean) {
  effect(() => {
    if (!can || !me.value) return;
    wanted.value = localStorage.getItem(keyOf(me.value.id)) ?? "";
    if (wanted.peek() === "yes" && Notification.permission === "granted") subscribe(words()).catch(error => console.warn("Nobody is told while the page is closed:", error));
  });
}

// want has this browser told, with what results say or without, or no more.
export async function want(yes: boolean, words = false) {
  if (yes) await subscribe(words);
  else await unsubscribe();
  wanted.value = yes ? "yes" : "no";
  if (me.value) localStorage.setItem(keyOf(me.value.id), wanted.value);
}

async function subscribe(words: boolean) {
  if (!me.value || !may("PUT /api/me/push")) return;
  const {pushManager} = await worker(), {key} = await ask<API.PushOut>("/api/me/push");
  let subscription = await pushManager.getSubscription();
  if (subscription && text(subscription.options.applicationServerKey) !== key) {
    await subscription.unsubscribe(); // it was of another installation at this address
    subscription = null;
  }
  subscription ??= await pushManager.subscribe({userVisibleOnly: true, applicationServerKey: key});
  const {endpoint, keys} = subscription.toJSON();
  const {id} = await ask<API.PushIDOut>("/api/me/push", {endpoint, ...keys, words}, "PUT");
  localStorage.setItem(idOf(me.value.id), id);
}

async function unsubscribe() {
  if (!me.value) return;
  const registration = await worker().catch(() => null), id = localStorage.getItem(idOf(me.value.id));
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  if (id) await ask(`/api/me/push/${encodeURIComponent(id)}`, undefined, "DELETE").catch(error => { if (error.status !== 404) throw error; });
  localStorage.removeItem(idOf(me.value.id));
}

// worker is the page's service worker. Where it could not be registered none will ever be
// ready, and nobody is to wait for it.
async function worker() {
  if (!await navigator.serviceWorker.getRegistration()) throw new Error(say("page.push.browser_does_not_let"));
  return navigator.serviceWorker.ready;
}

const text = (bytes: ArrayBuffer | null) => bytes ? btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") : "";
