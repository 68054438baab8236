// Who is called what, for pages that show more than one's own.

import type * as API from "../api_types";
import {ask} from "../api";
import type {Choice} from "../components/select";
import {signal} from "../ui";
import {say} from "../words";
import {may, me} from "./account";

export const people = signal<API.PersonView[]>([]); // as the API lists them; nobody for who may not look at people

let known = false;

// learnNames reads once who there is.
export async function learnNames() {
  if (!known) await read();
  known = true;
}

async function read() {
  if (may("GET /api/people") && may("GET /people")) people.value = await ask<API.PersonView[]>("/api/people");
}

// nameOf is what somebody is called. Who was not there when the names were read may have
// come since: they are read again, once for all who are missed just now, and no more for them.
export function nameOf(id: string | undefined): string {
  const person = people.value.find(p => p.id === id);
  if (!person && id && known && !missed.has(id)) miss(id);
  return person?.name || id || "";
}

const missed = new Set<string>();
let due = false;

function miss(id: string) {
  missed.add(id);
  if (due) return;
  due = true;
  queueMicrotask(() => {
    due = false;
    read().catch(error => console.warn("Names are not read:", error));
  });
}

// called is nameOf for who reads it.
export const called = (id: string | undefined) => id === me.value?.id ? say("page.you_lower") : nameOf(id);

// others are choices of people, without oneself.
export const others = () => people.value.filter(p => p.id !== me.value?.id).map((p): Choice => [p.id, p.name || p.id]);
