// What pages say, in the language of the reader. The texts are in internal/texts/languages, by
// key; before its script, a page loads those of one language.

import {signal} from "./ui.js";

// languages are those that errand speaks, by what each calls itself.
export const languages = globalThis.errandLanguages ?? {};

// language is what say speaks, for the attribute lang.
export const language = signal(document.documentElement.lang);

const texts = tag => globalThis.errandTexts?.[tag] ?? {};

// offered returns the language of errand for a BCP 47 tag; empty: there is none.
export const offered = tag => [tag, tag?.split("-")[0]].find(one => languages[one]) ?? "";

// speak has everything said in a language, by its BCP 47 tag, where errand has it.
export async function speak(tag) {
  const known = offered(tag || navigator.language);
  if (!known || known === language.peek()) return;
  await import(document.querySelector("script[data-texts]").src.replace(/[^/]*$/, `${known}.js`));
  language.value = document.documentElement.lang = known;
}

// say returns a text with values put where it has {names}.
export function say(key, values = {}) {
  return (texts(language.value)[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// sayWith is say for values that are elements: it returns the text in pieces, for a template
// to show.
export function sayWith(key, values) {
  return (texts(language.value)[key] ?? key).split(/(\{\w+\})/).filter(Boolean).map(piece => values[piece.slice(1, -1)] ?? piece);
}

// languageName is the name of a language by its tag, in the language of who reads it.
export function languageName(tag) {
  try {
    return new Intl.DisplayNames([language.value], {type: "language"}).of(tag) ?? tag;
  } catch {
    return tag; // it is no tag
  }
}
