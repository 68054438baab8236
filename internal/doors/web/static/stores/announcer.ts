// What a screen reader is told: sentences, the latest last.

import {signal} from "../ui";

export const announced = signal<{id: number; text: string}[]>([]);

const longest = 1000; // characters: who wants more of a reply reads it where it is
const kept = 5; // one that came just before another is still to be read
let number = 0;

export function announce(text: string) {
  if (!text) return;
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  announced.value = [...announced.value, {id: ++number, text: cut}].slice(-kept);
}
