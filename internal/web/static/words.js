// What pages say, in the language of who reads them. A sentence is written where it is
// said, in English; words/ has the other languages, each loaded only for who reads it.

import {signal} from "./ui.js";

const others = {es: () => import("./words/es.js")};

// languages are those that pages speak, by what each calls itself.
export const languages = {en: "English", es: "Español"};

const words = signal(null); // null: English

// language is what say speaks, for the attribute lang.
export const language = signal("en");

// speak has everything said in a language, by its BCP 47 tag, where errand has it.
export async function speak(tag) {
  const short = (tag || navigator.language || "").split("-")[0].toLowerCase();
  if (short === language.peek() || !others[short] && language.peek() === "en") return;
  words.value = others[short] ? (await others[short]()).words : null;
  language.value = document.documentElement.lang = others[short] ? short : "en";
}

// say returns a sentence with values put where it has {names}.
export function say(english, values = {}) {
  return (words.value?.[english] ?? english).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// sayWith is say for values that are elements: it returns the sentence in pieces, for a
// template to show.
export function sayWith(english, values) {
  const sentence = words.value?.[english] ?? english;
  return sentence.split(/(\{\w+\})/).filter(Boolean).map(piece => values[piece.slice(1, -1)] ?? piece);
}

// languageName is the name of a language by its tag, in the language of who reads it.
export function languageName(tag) {
  try {
    return new Intl.DisplayNames([language.value], {type: "language"}).of(tag) ?? tag;
  } catch {
    return tag; // it is no tag
  }
}
