// What a screen reader is told: one sentence at a time.

import {signal} from "../ui.js";

export const announced = signal("");

const longest = 1000; // characters: who wants more of a reply reads it where it is

export function announce(text) {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  // The same sentence again would be no change, which nobody is told of.
  announced.value = cut === announced.value ? `${cut} ` : cut;
}
