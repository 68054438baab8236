// What all pages share: asking the API, and words for what it says.

import type * as API from "./api_types";
import {say} from "./words";

export {moment} from "./times";

export async function ask<Answer>(path: string, body?: unknown, method = body === undefined ? "GET" : "POST"): Promise<Answer> {
  return (await exchange<Answer>(path, body, method)).answer;
}

// askPage asks for a page of a list. It returns what is in it, and what is to be asked for the
// next one; empty: there is none.
export async function askPage<Item>(path: string) {
  const {answer, headers} = await exchange<Item[]>(path, undefined, "GET");
  return {list: answer, next: headers.get("Link")?.match(/<([^>]*)>; rel="next"/)?.[1] ?? ""};
}

// A Refusal is an error that errand answers with.
export class Refusal extends Error {
  constructor(readonly status: number, message: string, readonly code?: string) { super(message); }

  // final reports whether to ask again is of no use.
  get final() { return this.status >= 400 && this.status < 500; }
}

// messageOf is what a person is told of something that was thrown.
export const messageOf = (error: unknown) => error instanceof Error ? error.message : String(error);

export const isFinal = (error: unknown) => error instanceof Refusal && error.final;

async function exchange<Answer>(path: string, body: unknown, method: string) {
  const options: RequestInit = {method};
  if (body !== undefined) Object.assign(options, {headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
  const response = await fetch(path, options);
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401) location.assign("/login.html"); // logged out meanwhile
  if (!response.ok) throw new Refusal(response.status, answer.error?.message ?? say("page.errand_answered", {status: response.status}), answer.error?.code);
  return {answer: answer as Answer, headers: response.headers};
}

export const display = (name = "") => name.split(",").map(n => n.charAt(0).toUpperCase() + n.slice(1)).join(", ");

// literal is a pattern that matches a text as it is.
export const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

export const terminal = (state: API.TaskState) => ["completed", "failed", "canceled", "rejected"].includes(state);

export const doneOf = (plan: API.Plan) => plan.items.filter(item => item.state === "done").length;

export function elapsed(from: number, to: number) {
  const seconds = Math.max(0, Math.round((to - from) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds % 3600 / 60)} min`;
}
