// One task with what belongs to it.

import {ask, display} from "../api.js";
import {batch, signal} from "../ui.js";
import {say} from "../words.js";
import {load, me} from "./account.js";
import {announce} from "./announcer.js";
import {learnNames} from "./names.js";

const ends = {completed: name => say("page.task_page.has_finished", {name}), failed: name => say("page.task_page.has_failed", {name}), canceled: () => say("page.task_page.the_task_was_canceled")};

export class TaskPage {
  task = signal(null);
  details = signal(null);
  line = signal(null);
  missing = signal("");
  #id;

  constructor(id) { this.#id = id; }

  // whose is whose tasks this person may look at: "*" is everybody's.
  whose() { return ["partner", "master_admin"].includes(me.value?.role) ? "*" : ""; }

  async load() {
    if (!me.value) await load();
    const whose = this.whose(), query = whose ? {person: whose} : {};
    const read = (path, more = {}) => ask(`/api/tasks/${encodeURIComponent(this.#id)}${path}?${new URLSearchParams({...query, ...more})}`);
    try {
      await learnNames();
      const [task, details, line] = await Promise.all([read(""), read("/details"), read("/timeline", {steps: true})]);
      const before = this.task.peek();
      batch(() => {
        set(this.task, task);
        set(this.details, details);
        set(this.line, line);
        this.missing.value = "";
      });
      document.title = `errand: ${task.title}`;
      if (before && before.state !== task.state) announce(ends[task.state]?.(display(task.agent)) ?? "");
    } catch (error) {
      if (!error.final || this.task.peek()) throw error;
      this.missing.value = error.message;
    }
  }

  // changed has it read again: something was done with it here. What a change has begun is
  // another task, which it leads to.
  changed(now) {
    if (now?.id && now.id !== this.task.peek()?.id) location.assign(`/tasks/${now.id}`);
    else this.load().catch(() => {}); // it is read again and again
  }

  async answer(id, given) {
    const q = await ask(`/api/questions/${id}/answer`, given);
    announce(q.state === "declined" ? say("question.declined", {agent: display(q.agent)}) : say("page.has_your_answer", {agent: display(q.agent)}));
    await this.load();
  }
}

function set(known, value) {
  if (JSON.stringify(known.peek()) !== JSON.stringify(value)) known.value = value;
}
