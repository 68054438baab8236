// What a screen reader is told: sentences, the latest last.

import {signal} from "../ui.js";

export const announced = signal([]);

const longest = 1000; // characters: who wants more of a reply reads it where it is
const kept = 5; // one that came just before another is still to be read
let number = 0;

export function announce(text) {
  if (!text) return;
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  announced.value = [...announced.value, {id: ++number, text: cut}].slice(-kept);
}
