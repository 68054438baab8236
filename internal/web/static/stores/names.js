// Who is called what, for pages that show more than one's own.

import {ask} from "../api.js";
import {signal} from "../ui.js";
import {say} from "../words.js";
import {may, me} from "./account.js";

export const people = signal([]); // as the API lists them; nobody for who may not look at people

let known = false;

// learnNames reads once who there is.
export async function learnNames() {
  if (!known && may("GET /api/people") && may("GET /people")) people.value = await ask("/api/people");
  known = true;
}

export const nameOf = id => people.value.find(p => p.id === id)?.name || id;

// called is nameOf for who reads it.
export const called = id => id === me.value?.id ? say("you") : nameOf(id);

// others are choices of people, without oneself.
export const others = () => people.value.filter(p => p.id !== me.value?.id).map(p => [p.id, p.name || p.id]);
