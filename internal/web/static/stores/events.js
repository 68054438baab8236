// The events of a chat: what is in its log, and what comes.

import {ask} from "../api.js";

const most = 200; // events that are asked for at once

// before returns the latest events before one, or of all, and whether there may be
// more before them.
export async function before(path, id = Number.MAX_SAFE_INTEGER) {
  const events = await ask(`${path}/events?before=${id}&limit=${most}`);
  return {events, more: events.length === most};
}

// follow tells each event after the one that after() names, for ever: opened is
// called when the stream is there, and lost when it is not.
export function follow(path, {after, opened, take, lost}) {
  let delay = 500;
  const connect = () => {
    const source = new EventSource(`${path}/events?after=${after()}`);
    source.onopen = () => {
      delay = 500;
      opened();
    };
    source.onmessage = message => take(JSON.parse(message.data));
    source.onerror = () => {
      // Reconnecting is ours: after a restart the browser would give up on some
      // answers, and would begin at the last id of this connection only.
      source.close();
      lost();
      setTimeout(connect, delay);
      delay = Math.min(delay * 2, 5000);
    };
  };
  connect();
}
