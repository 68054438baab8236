// What pages say, in the language of the reader. The texts are in internal/texts/languages, by
// key; before its script, a page loads those of one language.

import {type ComponentChildren, signal} from "./ui";

declare global {
  var errandLanguages: Record<string, string> | undefined;
  var errandTexts: Record<string, Record<string, string>> | undefined;
}

// languages are those that errand speaks, by what each calls itself.
export const languages = globalThis.errandLanguages ?? {};

// language is what say speaks, for the attribute lang.
export const language = signal(document.documentElement.lang);

const texts = (tag: string): Record<string, string> => globalThis.errandTexts?.[tag] ?? {};

// offered returns the language of errand for a BCP 47 tag; empty: there is none.
export const offered = (tag = "") => [tag, tag.split("-")[0]].find(one => languages[one]) ?? "";

// speak has everything said in a language, by its BCP 47 tag, where errand has it.
export async function speak(tag: string) {
  const known = offered(tag || navigator.language);
  if (!known || known === language.peek()) return;
  await import(document.querySelector<HTMLScriptElement>("script[data-texts]")!.src.replace(/[^/]*$/, `${known}.js`));
  language.value = document.documentElement.lang = known;
}

export type Values = Record<string, string | number | undefined>;

// Words are texts by a word of the API.
export type Words<Args extends unknown[] = []> = Partial<Record<string, (...args: Args) => string>>;

// say returns a text with values put where it has {names}.
export function say(key: string, values: Values = {}): string {
  return (texts(language.value)[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

// sayWith is say for values that are elements: it returns the text in pieces, for a template
// to show.
export function sayWith(key: string, values: Record<string, ComponentChildren>): ComponentChildren[] {
  return (texts(language.value)[key] ?? key).split(/(\{\w+\})/).filter(Boolean).map(piece => values[piece.slice(1, -1)] ?? piece);
}

// languageName is the name of a language by its tag, in the language of who reads it.
export function languageName(tag: string) {
  try {
    return new Intl.DisplayNames([language.value], {type: "language"}).of(tag) ?? tag;
  } catch {
    return tag; // it is no tag
  }
}
