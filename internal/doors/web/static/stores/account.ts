// Who this browser is, what errand is, and whether it can be reached.

import type * as API from "../api_types";
import {ask, isFinal, messageOf} from "../api";
import {by} from "../times";
import {batch, signal} from "../ui";
import {say, speak} from "../words";
import {announce} from "./announcer";

// Me is who this browser is, with what they may do.
export type Me = Omit<API.MeOut, "may"> & {may: Set<string>};

export const me = signal<Me | null>(null);
export const about = signal<Partial<API.AboutOut>>({});
export const trouble = signal(""); // what is wrong with the connection

// may reports whether this person may use a route. The server refuses the rest in
// any case.
export const may = (pattern: string) => me.value?.may.has(pattern) ?? false;

// roleName is what people call a role, in their language.
export const roleName = (role: string) => about.value.roles?.find(one => one.role === role)?.name ?? role;

// personName is what people call somebody; the installation's own person has its name by errand.
export const personName = ({id, name}: {id: string; name: string}) => id === "owner" && (name || "Owner") === "Owner" ? say("role.owner") : name || id;

// load asks who this browser is; who asks meanwhile waits for the same answer.
let loading: Promise<void> | null = null;
export const load = () => loading ??= read().finally(() => { loading = null; });

// reload is load for who has just changed something: what was asked before may not know it.
export async function reload() {
  await loading?.catch(() => {});
  return load();
}

const read = async () => know(...await Promise.all([ask<API.MeOut>("/api/me"), ask<API.AboutOut>("/api/about")]));

// know takes who this browser is, and what errand is, as the API says it.
export function know(person: API.MeOut, errand: API.AboutOut) {
  by(person.time_zone);
  speak(person.language).catch(() => {}); // the language of the page will do
  batch(() => {
    me.value = {...person, may: new Set(person.may)};
    about.value = errand;
  });
  if (!person.time_zone) tellZone().catch(() => {}); // it is told the next time
}

// tellZone says once by whose clocks somebody lives who has not said so: what errand writes
// elsewhere has their times.
async function tellZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone, person = me.value;
  if (!zone || !person || !may("POST /api/me") || localStorage.getItem(`zone-told-${person.id}`)) return;
  await ask("/api/me", {time_zone: zone});
  localStorage.setItem(`zone-told-${person.id}`, "1");
  by(zone);
  if (me.value) me.value = {...me.value, time_zone: zone};
}

// lookAbout asks again what errand is: whether its models answer. A burst of
// events asks once.
let looking = 0;
export function lookAbout() {
  clearTimeout(looking);
  looking = setTimeout(() => ask<API.AboutOut>("/api/about").then(errand => { about.value = errand; }, () => {}), 150);
}

export function reached() { trouble.value = ""; }

export function failed(error?: unknown) {
  const text = isFinal(error) ? messageOf(error) : say("page.account.errand_not_reachable_trying");
  if (trouble.value !== text) announce(text);
  trouble.value = text;
}
