// The events of a chat: what is in its log, and what comes.

import type * as API from "../api_types";
import {ask} from "../api";

const most = 200; // events that are asked for at once

// before returns the latest events before one, and whether there may be more before them.
export async function before(path: string, id: number, limit = most) {
  const events = await ask<API.Event[]>(`${path}/events?before=${id}&limit=${limit}`);
  return {events, more: events.length === limit};
}

// opening returns all that a page begins with, with the latest events of the chat.
export async function opening(path: string) {
  const all = await ask<API.OpeningOut>(`${path}/opening`);
  return {...all, more: all.events.length === most};
}

// Without TLS a browser opens only some six connections to one address, for all its
// tabs, and each stream is one: a tab that nobody has looked at for so long gives its
// own up, lest those that somebody looks at wait.
const unseen = 5000; // milliseconds

// follow tells each event after the one that after() names, for ever: opened is
// called when the stream is there, and lost when it is not. While nobody looks at the
// page it reads nothing; what came meanwhile is told when somebody does.
export function follow(path: string, {after, opened, take, lost}: {after: () => number; opened: () => void; take: (e: API.Event) => void; lost: () => void}) {
  let delay = 500, source: EventSource | null = null, timer = 0;
  const end = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const connect = () => {
    end();
    source = new EventSource(`${path}/events?after=${after()}`);
    source.onopen = () => {
      delay = 500;
      opened();
    };
    source.onmessage = message => take(JSON.parse(message.data));
    source.onerror = () => {
      // Reconnecting is ours: after a restart the browser would give up on some
      // answers, and would begin at the last id of this connection only.
      end();
      lost();
      timer = setTimeout(connect, delay);
      delay = Math.min(delay * 2, 5000);
    };
  };
  let leaving = 0;
  const looked = () => {
    clearTimeout(leaving);
    if (document.hidden) leaving = setTimeout(end, unseen);
    else if (!source) connect();
  };
  document.addEventListener("visibilitychange", looked);
  // A page that a browser keeps for the way back does without, too.
  window.addEventListener("pagehide", end);
  window.addEventListener("pageshow", event => { if (event.persisted) looked(); });
  connect();
  looked();
}
