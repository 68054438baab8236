// Lists that are looked at when something in them has changed: a stream says so.

import type * as API from "../api_types";
import {failed, load, may, me, reached} from "./account";

const all = ["tasks", "questions", "deliveries"];

const anyway = 30000; // milliseconds after which they are looked at in any case
const alone = 2000;   // likewise, where there is no stream
const often = 1000;   // while one change follows another they are looked at once in so many
const unseen = 5000;  // a tab that nobody sees for so long gives its connection up, see events.ts

// watch calls look with a set of which lists may have changed: all of them at first, and
// whenever the stream is there again. whose() is the person whose lists they are; empty:
// one's own. It returns what looks at all of them now, at another's if that has changed.
export function watch(look: (changed: Set<string>) => Promise<void>, whose = () => "") {
  let source: EventSource | null = null, path = "", closed = 0, delay = 500; // the stream, and when it was lost
  let due = new Set<string>(), timer = 0, looking = false, looked = 0, leaving = 0;

  const plan = (wait: number) => {
    clearTimeout(timer);
    timer = setTimeout(turn, wait);
  };

  const note = (lists: Iterable<string>) => {
    for (const list of lists) due.add(list);
    if (!looking) plan(Math.max(50, looked + often - Date.now()));
  };

  async function turn() {
    if (looking || document.hidden) return; // looked at when that is over
    looking = true;
    let next = anyway, lists = new Set<string>();
    try {
      if (!me.value) await load();
      if (follow()) {
        next = often; // it says when to look, and if it does not, it is looked at all the same
      } else {
        lists = due.size ? due : new Set(all);
        due = new Set();
        await look(lists);
        looked = Date.now();
        reached();
        next = !source ? alone : due.size ? often : anyway;
      }
    } catch (error) {
      failed(error);
      for (const list of lists) due.add(list);
      next = alone;
    }
    looking = false;
    plan(next);
  }

  // follow reports whether it has just asked for a stream.
  function follow() {
    const person = whose(), wanted = `/api/changes${person ? `?${new URLSearchParams({person})}` : ""}`;
    if (source && path === wanted || !may("GET /api/changes") || Date.now() < closed + delay) return false;
    source?.close();
    const mine = source = new EventSource(wanted);
    path = wanted;
    mine.onmessage = message => {
      const {lists} = JSON.parse(message.data) as API.ChangeView;
      if (!lists.length) looked = 0; // it is there: what came before is not told
      delay = 500;
      note(lists.length ? lists : all);
    };
    mine.onerror = () => {
      mine.close();
      if (source !== mine) return;
      source = null;
      closed = Date.now();
      delay = Math.min(delay * 2, 5000);
      note(all); // what is wrong, looking says
    };
    return true;
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(leaving);
    if (!document.hidden) return plan(0);
    leaving = setTimeout(() => {
      source?.close();
      source = null;
    }, unseen);
  });
  // A browser keeps a page that somebody has left for the way back, with its connection, of
  // which it has six to a server.
  window.addEventListener("pagehide", () => {
    source?.close();
    source = null;
  });
  window.addEventListener("pageshow", event => { if (event.persisted) now(); });
  const now = () => {
    due = new Set(all);
    plan(0);
  };
  now();
  return now;
}
