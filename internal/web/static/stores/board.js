// The board of tasks: the trees of what was delegated, with filters, which are in the
// address, and what waits for an answer among them.

import {ask, display} from "../api.js";
import {batch, signal} from "../ui.js";
import {may, me} from "./account.js";
import {announce} from "./announcer.js";
import {Questions} from "./questions.js";
import {Tasks} from "./tasks.js";

export const filterNames = ["q", "state", "agent", "person"];
const pageSize = 100;

export class Board extends Tasks {
  filters = signal(Object.fromEntries(filterNames.map(name => [name, new URLSearchParams(location.search).get(name) ?? ""])));
  tops = signal([]);  // ids of the first task of each tree
  more = signal(false);
  read = signal(false);
  looked = signal(0); // how often the list was read: what is shown of a tree beside it is read again, too
  agents = signal([]);
  people = signal([]);
  questions = new Questions({}, {onlyOpen: true});
  #places = new Map(); // id → signal of {branch, matches, below}
  #limit = pageSize;
  #mine = 0;
  #typing = 0;
  #soon = 0;
  #known = false;
  #others = () => {};

  place(id) {
    if (!this.#places.has(id)) this.#places.set(id, signal({below: []}));
    return this.#places.get(id);
  }

  get filtered() { return Object.entries(this.filters.value).some(([name, value]) => name !== "person" && value.trim()); }

  called(id) { return id === me.value?.id ? "you" : this.people.value.find(p => p.id === id)?.name || id; }

  from(task) { return task.from ? display(task.from) : this.called(task.origin.person); }

  // asked are the questions of a task that wait.
  asked(id) { return this.questions.open.value.map(one => this.questions.get(one).value).filter(q => q.task_id === id); }

  async answer(id, given) {
    const {agent, state} = await this.questions.answer(id, given);
    announce(state === "declined" ? `${display(agent)} goes on without an answer.` : `${display(agent)} has your answer.`);
    this.changed();
  }

  // whole is all of what became of a task; the list has its beginning.
  async whole(id) {
    const {result, error} = await ask(`/api/tasks/${id}?${this.#whose()}`);
    return result || error;
  }

  // changed has the list read soon: what changes one task may change its tree.
  changed() {
    this.#soon ||= setTimeout(() => {
      this.#soon = 0;
      this.load().catch(() => {}); // it is read again and again
    }, 100);
  }

  // others calls changed when it is to show what another person has.
  others(changed) { this.#others = changed; }

  filter(name, value) {
    this.filters.value = {...this.filters.value, [name]: value};
    this.#limit = pageSize;
    const query = this.#query();
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
    if (name === "person") this.#others();
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.load().then(() => this.#tell(), () => {}), name === "q" ? 250 : 0);
  }

  older() {
    this.#limit += pageSize;
    return this.load();
  }

  async load() {
    const mine = ++this.#mine, query = this.#query();
    if (query.get("state") === "open") query.set("state", "submitted,working,input_required");
    query.set("tree", "true");
    query.set("limit", this.#limit);
    if (!this.#known) await this.#names();
    const [list] = await Promise.all([ask(`/api/tasks?${query}`), this.ask()]);
    if (mine !== this.#mine) return; // the filters have changed meanwhile
    batch(() => this.#take(list));
  }

  // ask has the questions of the tasks read.
  ask() { return may("GET /api/questions") ? this.questions.of(Object.fromEntries(this.#whose())) : undefined; }

  async #names() {
    const people = may("GET /api/people") && may("GET /people");
    const [agents, list] = await Promise.all([may("GET /api/agents") ? ask("/api/agents") : [], people ? ask("/api/people") : []]);
    this.agents.value = agents;
    this.people.value = list;
    this.#known = true;
  }

  // #take makes trees of a list in which each task stands below the one that delegated it.
  #take(list) {
    const path = [], below = new Map(list.map(task => [task.id, []])), tops = [];
    for (const {level, branch, matches, ...task} of list) {
      path.length = level;
      (level ? below.get(path[level - 1]) : tops).push(task.id);
      path[level] = task.id;
      this.put(task);
    }
    for (const {id, branch, matches} of list) set(this.place(id), {branch, matches, below: below.get(id)});
    set(this.tops, tops);
    this.more.value = list.filter(task => task.matches).length >= this.#limit;
    this.read.value = true;
    this.looked.value++;
  }

  #tell() { announce(this.tops.value.length ? `${this.tops.value.length} found` : "Nothing was found."); }

  #whose() { return new URLSearchParams(this.filters.value.person ? {person: this.filters.value.person} : {}); }

  #query() {
    return new URLSearchParams(Object.entries(this.filters.value).map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
  }
}

function set(known, value) {
  if (JSON.stringify(known.peek()) !== JSON.stringify(value)) known.value = value;
}
