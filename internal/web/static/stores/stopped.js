// What was said of replies that did not come to their end. Errand keeps only what is
// whole: these stay in the browser's tab, for when the page is loaded again.

const most = 20; // of a chat

export class Stopped {
  #key = ""; // empty until it is known whose they are
  #chat;
  #list = []; // {behind, who, text}: the id of the event behind which it was said
  #count = 0;

  constructor(chat) { this.#chat = chat; }

  // of says whose these are, and which events there are: what stood behind one that
  // was deleted is forgotten. With more there are older events.
  of(person, events, more) {
    this.#key = `stopped:${person}:${this.#chat}`;
    const ids = new Set(events.map(e => e.id));
    try {
      this.#list = JSON.parse(sessionStorage.getItem(this.#key) ?? "[]").filter(s => ids.has(s.behind) || more && s.behind < events[0].id);
    } catch {
      this.#list = []; // somebody else has written there
    }
    this.#save();
  }

  keep(behind, who, text) {
    if (!text) return;
    this.#list = [...this.#list, {behind, who, text}].slice(-most);
    this.#save();
  }

  // behind are the entries of a chat that stand behind an event.
  behind(id) {
    return this.#list.filter(s => s.behind === id).map(({who, text}) => ({key: `stopped-${++this.#count}`, kind: "reply", who, text, ending: "stopped"}));
  }

  #save() {
    if (!this.#key) return;
    try {
      if (this.#list.length) sessionStorage.setItem(this.#key, JSON.stringify(this.#list));
      else sessionStorage.removeItem(this.#key);
    } catch (error) {
      console.warn("What was stopped is kept on this page only:", error); // the browser has no room
    }
  }
}
