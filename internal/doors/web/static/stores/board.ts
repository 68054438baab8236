// The board of tasks: the trees of what was delegated, with filters, which are in the
// address, what waits for an answer among them, and those that somebody has picked.

import type * as API from "../api_types";
import {ask, askPage, display, terminal} from "../api";
import type {Choice} from "../components/select";
import {before, dayOf} from "../times";
import {batch, type Signal, signal} from "../ui";
import {say} from "../words";
import {may, me} from "./account";
import {announce} from "./announcer";
import {called, learnNames} from "./names";
import {Questions} from "./questions";
import {Tasks} from "./tasks";

export const filterNames = ["q", "state", "agent", "chat", "person", "since", "until"];
const pageSize = 100;
const most = 1000; // that the API lists at once
const mostAtOnce = 100; // that the API changes at once
const open = ["submitted", "working", "input_required"] as const;

// A Place is where a task stands in its tree.
export interface Place {
  branch?: API.BranchSum;
  matches?: boolean;
  below: string[];
}

// A BoardRow is a task that is shown.
export interface BoardRow {
  id: string;
  level: number;
  below: number;
  open: boolean;
}

// A Group has the trees under one heading: the open ones, or those that ended on one day or earlier.
export interface Group {
  name: string;
  trees: number;
  rows: BoardRow[];
}

export class Board extends Tasks {
  filters = signal<Record<string, string>>(Object.fromEntries(filterNames.map(name => [name, new URLSearchParams(location.search).get(name) ?? ""])));
  tops = signal<string[]>([]);  // ids of the first task of each tree
  more = signal(false);
  counts = signal<Record<string, number> | null>(null); // state → how many, with total and open
  picked = signal(new Set<string>());
  refused = signal<Required<Pick<API.BulkTask, "id" | "error">>[]>([]);  // of the last change of several, what was not done
  folds = signal(new Map<string, boolean>()); // id → whether somebody has opened it
  agents = signal<API.AgentView[]>([]);
  chats = signal<API.Chat[]>([]);
  questions = new Questions({}, {onlyOpen: true});
  #places = new Map<string, Signal<Place>>();
  #limit = pageSize;
  #list: API.Task[] = []; // as the API has it, page behind page
  #next = "";         // what asks for the page behind them
  #mine = 0;
  #typing = 0;
  #soon = 0;
  #known = false;
  #others: () => void = () => {};

  place(id: string) {
    const place = this.#places.get(id) ?? signal<Place>({below: []});
    this.#places.set(id, place);
    return place;
  }

  // groups returns the trees on the page: the open ones, and the others by the day on which they
  // ended. Rows in folded branches are left out.
  groups() {
    const groups: Group[] = [say("page.board.open"), say("page.board.ended_today"), say("page.board.ended_yesterday"), say("page.board.ended_earlier")].map(name => ({name, trees: 0, rows: []}));
    const folds = this.folds.value, today = dayOf(new Date()), days = [today, before(today)];
    const add = (rows: BoardRow[], id: string, level: number) => {
      const {below} = this.place(id).value, unfolded = below.length > 0 && (folds.get(id) ?? this.#opensItself(id));
      rows.push({id, level, below: below.length, open: unfolded});
      if (unfolded) for (const one of below) add(rows, one, level + 1);
    };
    for (const id of this.tops.value) {
      const task = this.get(id).value, day = days.indexOf(dayOf(task?.finished));
      const group = groups[task && !terminal(task.state) || this.place(id).value.branch?.open ? 0 : day < 0 ? 3 : day + 1];
      group.trees++;
      add(group.rows, id, 0);
    }
    return groups.filter(group => group.trees);
  }

  // #opensItself reports whether a branch opens without a click: a task below its head matches the
  // filters and the head does not, or a task below its head waits for this person.
  #opensItself(id: string) {
    const {matches, below} = this.place(id).value, inside = (one: string): boolean => {
      const place = this.place(one).value;
      return Boolean(this.asked(one)?.may_answer) || this.filtered && matches === false && place.matches === true || place.below.some(inside);
    };
    return below.some(inside);
  }

  fold(id: string, was: boolean) { this.folds.value = new Map(this.folds.value).set(id, !was); }

  get filtered() { return Object.entries(this.filters.value).some(([name, value]) => name !== "person" && value.trim()); }

  from(task: API.Task) { return task.from ? display(task.from) : called(task.origin.person); }

  // sum returns the number of tasks that match, and their cost if all of them are loaded.
  sum() {
    const found = this.tops.value.length ? this.#list.filter(({id, matches}) => matches !== false && this.get(id).value) : [], counts = this.counts.value;
    const cost = this.more.value ? 0 : found.reduce((sum, {id}) => sum + (this.get(id).value?.cost ?? 0), 0);
    return {tasks: this.more.value && counts ? counts[this.filters.value.state || "total"] : found.length, cost};
  }

  // priced reports whether any loaded task has a known cost.
  priced() { return this.#list.some(({id}) => this.place(id).value.branch?.cost || this.get(id).value?.cost); }

  // chatTitle is what the chat of a task is called in the list of chats.
  chatTitle({origin}: API.Task) { return this.chats.value.find(chat => chat.route.channel === origin.channel && chat.route.chat === origin.chat)?.title || undefined; }

  // asked returns an open question of a task, preferably one that this person can answer.
  asked(id: string) {
    const open = this.questions.open.value.map(one => this.questions.get(one).value).filter(q => q !== null).filter(q => q.task_id === id && q.state === "open");
    return open.find(q => q.may_answer) ?? open.at(0);
  }

  chatChoices(): Choice[] {
    const known = this.chats.value.map((chat): Choice => [chat.session_id, chat.title || chat.route.chat || ""]), now = this.filters.value.chat;
    return now && !known.some(([id]) => id === now) ? [...known, [now, now]] : known;
  }

  // changes is whose tasks this person may change, for the address.
  changes() { return me.value?.role === "master_admin" && this.filters.value.person ? "*" : ""; }

  pick(ids: string[], on: boolean) {
    const picked = new Set(this.picked.value);
    for (const id of ids) {
      if (on) picked.add(id);
      else picked.delete(id);
    }
    this.picked.value = picked;
  }

  unpick() {
    this.picked.value = new Set();
    this.refused.value = [];
  }

  // bulk cancels or retries several tasks, and keeps picked those with which it did not work.
  async bulk(verb: "cancel" | "retry", tasks: API.Task[]) {
    const whose = this.changes(), refused: Board["refused"]["value"] = [];
    let done = 0;
    for (let at = 0; at < tasks.length; at += mostAtOnce) {
      const ids = tasks.slice(at, at + mostAtOnce).map(task => task.id);
      for (const one of await ask<API.BulkTask[]>(`/api/tasks/${verb}${whose && "?person=*"}`, {ids})) {
        if (one.error) refused.push({id: one.id, error: one.error});
        else done++;
      }
    }
    const kept = new Set(refused.map(one => one.id)), changed = new Set(tasks.map(task => task.id));
    batch(() => {
      this.refused.value = refused;
      this.picked.value = new Set([...this.picked.value].filter(id => kept.has(id) || !changed.has(id)));
    });
    const result = verb === "cancel" ? say("page.board.canceled", {n: done}) : say("page.board.started_again", {n: done});
    await this.load(); // which says of each that it has ended: what is said last is heard
    announce(refused.length ? `${result}, ${say("page.board.not", {n: refused.length})}: ${refused[0].error.message}` : result);
  }

  // changed has the list read soon: what changes one task may change its tree.
  changed() {
    this.#soon ||= setTimeout(() => {
      this.#soon = 0;
      this.load().catch(() => {}); // it is read again and again
    }, 100);
  }

  // others calls changed when it is to show what another person has.
  others(changed: () => void) { this.#others = changed; }

  filter(name: string, value: string) {
    this.filters.value = {...this.filters.value, [name]: value};
    this.#limit = pageSize;
    this.unpick();
    const query = this.#query();
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
    if (name === "person") this.#others();
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.load().then(() => this.#tell(), () => {}), name === "q" ? 250 : 0);
  }

  // older reads the next page, and nothing again.
  async older() {
    this.#limit += pageSize;
    const mine = ++this.#mine, query = new URLSearchParams(this.#next);
    query.set("limit", String(pageSize));
    const {list, next} = await askPage<API.Task>(`/api/tasks?${query}`);
    if (mine === this.#mine) batch(() => this.#take(behind(this.#list, list), next)); // else it is all read anew
  }

  // #read reads so many tasks that were looked for, with their trees.
  async #read(query: URLSearchParams, n: number) {
    let list: API.Task[] = [], next = `?${new URLSearchParams([...query, ["tree", "true"], ["limit", String(Math.min(n, most))]])}`;
    do {
      const page = await askPage<API.Task>(`/api/tasks${next}`);
      list = behind(list, page.list);
      next = page.next;
    } while (next && list.filter(task => task.matches).length < n);
    return {list, next};
  }

  async load() {
    const mine = ++this.#mine, query = this.#asks();
    if (!this.#known) await this.#names();
    const [{list, next}, counts] = await Promise.all([
      this.#read(query, this.#limit),
      may("GET /api/tasks/counts") ? ask<API.CountsOut>(`/api/tasks/counts?${new URLSearchParams([...query].filter(([name]) => name !== "state"))}`) : null,
      this.ask(),
    ]);
    if (mine !== this.#mine) return; // the filters have changed meanwhile
    batch(() => {
      this.#take(list, next);
      this.counts.value = counts && {...counts.states, total: counts.total, open: open.reduce((sum, state) => sum + counts.states[state], 0)};
    });
  }

  // ask has the questions of the tasks read.
  ask() { return may("GET /api/questions") ? this.questions.of(Object.fromEntries(this.#whose())) : undefined; }

  async #names() {
    const [agents, chats] = await Promise.all([
      may("GET /api/agents") ? ask<API.AgentView[]>("/api/agents") : [], may("GET /api/chats") ? ask<API.Chat[]>("/api/chats") : [], learnNames(),
    ]);
    batch(() => {
      this.agents.value = agents;
      this.chats.value = chats;
    });
    this.#known = true;
  }

  // #take makes trees of a list in which each task stands below the one that delegated it.
  #take(list: API.Task[], next: string) {
    this.#list = list;
    this.#next = next;
    const path: string[] = [], below = new Map(list.map((task): [string, string[]] => [task.id, []])), tops: string[] = [];
    for (const {level = 0, branch, matches, ...task} of list) {
      path.length = level;
      (level ? below.get(path[level - 1]) ?? [] : tops).push(task.id);
      path[level] = task.id;
      this.put(task);
    }
    for (const {id, branch, matches} of list) set(this.place(id), {branch, matches, below: below.get(id) ?? []});
    set(this.tops, tops);
    const there = [...this.picked.peek()].filter(id => below.has(id));
    if (there.length !== this.picked.peek().size) this.picked.value = new Set(there);
    this.more.value = next !== "";
    this.read.value = true;
  }

  #tell() { announce(this.tops.value.length ? say("page.found", {n: this.tops.value.length}) : say("page.nothing_was_found")); }

  #whose() { return new URLSearchParams(this.filters.value.person ? {person: this.filters.value.person} : {}); }

  // #query is what is in the address.
  #query() {
    return new URLSearchParams(Object.entries(this.filters.value).map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
  }

  // #asks is the same for the API: with days as they are where the person is.
  #asks() {
    const query = this.#query(), day = (name: string, days: number) => {
      const at = new Date(`${query.get(name)}T00:00`);
      at.setDate(at.getDate() + days);
      query.delete(name);
      return Number.isNaN(at.getTime()) ? "" : at.toISOString();
    };
    const given = (name: string) => query.has(name);
    if (query.get("state") === "open") query.set("state", open.join());
    if (given("chat")) {
      query.set("session", query.get("chat") ?? "");
      query.delete("chat");
    }
    const since = given("since") && day("since", 0), until = given("until") && day("until", 1);
    if (since) query.set("since", since);
    if (until) query.set("before", until);
    return query;
  }
}

// behind adds a page to a list. A tree that goes on in it is in both, as a whole.
function behind(list: API.Task[], page: API.Task[]) {
  const there = new Set(list.map(task => task.id));
  return [...list, ...page.filter(task => !there.has(task.id))];
}

function set<T>(known: Signal<T>, value: T) {
  if (JSON.stringify(known.peek()) !== JSON.stringify(value)) known.value = value;
}
