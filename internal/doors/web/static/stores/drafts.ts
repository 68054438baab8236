// What somebody has begun to write in a chat: the browser keeps it, for its person.

import {keepFiles, keptFiles, type WaitingFile} from "./files";

const longest = 30 * 24 * 3600 * 1000; // milliseconds; who has not gone on by then does not

const keyOf = (person: string, chat: string) => `draft:${person}:${chat}`;

export function draft(person: string, chat: string) {
  try {
    const {text, at} = JSON.parse(localStorage.getItem(keyOf(person, chat)) ?? "{}");
    return typeof text === "string" && Date.now() - at < longest ? text : "";
  } catch {
    return ""; // somebody else has written there
  }
}

export function keepDraft(person: string, chat: string, text: string) {
  try {
    if (text) localStorage.setItem(keyOf(person, chat), JSON.stringify({text, at: Date.now()}));
    else localStorage.removeItem(keyOf(person, chat));
  } catch (error) {
    console.warn("A draft is kept on this page only:", error); // the browser has no room
  }
}

export const draftFiles = (person: string, chat: string) => keptFiles(keyOf(person, chat));

export const keepDraftFiles = (person: string, chat: string, files: WaitingFile[]) => keepFiles(keyOf(person, chat), files);
