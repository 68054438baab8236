// What all pages share: asking the API, and words for what it says.

import {say} from "./words.js";

export {moment} from "./times.js";

export async function ask(path, body, method = body === undefined ? "GET" : "POST") {
  return (await exchange(path, body, method)).answer;
}

// askPage asks for a page of a list. It returns what is in it, and what is to be asked for the
// next one; empty: there is none.
export async function askPage(path) {
  const {answer, headers} = await exchange(path, undefined, "GET");
  return {list: answer, next: headers.get("Link")?.match(/<([^>]*)>; rel="next"/)?.[1] ?? ""};
}

async function exchange(path, body, method) {
  const options = {method};
  if (body !== undefined) Object.assign(options, {headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
  const response = await fetch(path, options);
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401) location.assign("/login.html"); // logged out meanwhile
  if (!response.ok) {
    const error = new Error(answer.error?.message ?? say("page.errand_answered", {status: response.status}));
    error.status = response.status;
    error.code = answer.error?.code;
    error.final = response.status >= 400 && response.status < 500;
    throw error;
  }
  return {answer, headers: response.headers};
}

export const display = name => (name ?? "").split(",").map(n => n.charAt(0).toUpperCase() + n.slice(1)).join(", ");

export const terminal = state => ["completed", "failed", "canceled", "rejected"].includes(state);

export const doneOf = plan => plan.items.filter(item => item.state === "done").length;

export function elapsed(from, to) {
  const seconds = Math.max(0, Math.round((to - from) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds % 3600 / 60)} min`;
}
