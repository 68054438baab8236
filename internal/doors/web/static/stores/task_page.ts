// One task with what belongs to it.

import type * as API from "../api_types";
import {ask, display, isFinal, messageOf} from "../api";
import {batch, type Signal, signal} from "../ui";
import {say, type Words} from "../words";
import {load, me} from "./account";
import {announce} from "./announcer";
import {learnNames} from "./names";
import type {Given} from "./questions";

const ends: Words<[string]> = {completed: name => say("page.task_page.has_finished", {name}), failed: name => say("page.task_page.has_failed", {name}), canceled: () => say("page.task_page.the_task_was_canceled")};

export class TaskPage {
  task = signal<API.Task | null>(null);
  details = signal<API.TaskDetails | null>(null);
  line = signal<API.Timeline | null>(null);
  missing = signal("");
  #id: string;

  constructor(id: string) { this.#id = id; }

  // whose is whose tasks this person may look at: "*" is everybody's.
  whose() { return ["partner", "master_admin"].includes(me.value?.role ?? "") ? "*" : ""; }

  async load() {
    if (!me.value) await load();
    const whose = this.whose(), query: Record<string, string> = whose ? {person: whose} : {};
    const read = <Answer>(path: string, more = {}) => ask<Answer>(`/api/tasks/${encodeURIComponent(this.#id)}${path}?${new URLSearchParams({...query, ...more})}`);
    try {
      await learnNames();
      const [task, details, line] = await Promise.all([read<API.Task>(""), read<API.TaskDetails>("/details"), read<API.Timeline>("/timeline", {steps: "true"})]);
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
      if (!isFinal(error) || this.task.peek()) throw error;
      this.missing.value = messageOf(error);
    }
  }

  // changed has it read again: something was done with it here. What a change has begun is
  // another task, which it leads to.
  changed(now?: API.Task | string) {
    if (typeof now === "object" && now.id !== this.task.peek()?.id) location.assign(`/tasks/${now.id}`);
    else this.load().catch(() => {}); // it is read again and again
  }

  async answer(id: string, given: Given) {
    const q = await ask<API.QuestionView>(`/api/questions/${id}/answer`, given);
    announce(q.state === "declined" ? say("question.declined", {agent: display(q.agent)}) : say("page.has_your_answer", {agent: display(q.agent)}));
    await this.load();
  }
}

function set<T>(known: Signal<T>, value: T) {
  if (JSON.stringify(known.peek()) !== JSON.stringify(value)) known.value = value;
}
