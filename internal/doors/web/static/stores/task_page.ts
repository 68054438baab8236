// One task with what belongs to it.

import type * as API from "../api_types";
import {ask, display, isFinal, messageOf} from "../api";
import {batch, type Signal, signal} from "../ui";
import {say, type Words} from "../words";
import {load, may, me} from "./account";
import {announce} from "./announcer";
import {learnNames} from "./names";
import type {Given} from "./questions";

const ends: Words<[string]> = {completed: name => say("page.task_page.has_finished", {name}), failed: name => say("page.task_page.has_failed", {name}), canceled: () => say("page.task_page.the_task_was_canceled")};

export class TaskPage {
  task = signal<API.Task | null>(null);
  details = signal<API.TaskDetails | null>(null);
  line = signal<API.Timeline | null>(null);
  counts = signal<API.TaskNumbers | null>(null); // numbers of this person's tasks
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
      const [task, details, line, counts] = await Promise.all([
        read<API.Task>(""), read<API.TaskDetails>("/details"), read<API.Timeline>("/timeline", {steps: "true"}),
        may("GET /api/tasks/counts") ? ask<API.CountsOut>("/api/tasks/counts") : null,
      ]);
      const before = this.task.peek();
      batch(() => {
        set(this.task, task);
        set(this.details, details);
        set(this.line, line);
        set(this.counts, counts?.states ?? null);
        this.missing.value = "";
      });
      document.title = `errand: ${task.title}`;
      if (before && before.state !== task.state) announce(ends[task.state]?.(display(task.agent)) ?? "");
    } catch (error) {
      if (!isFinal(error) || this.task.peek()) throw error;
      this.missing.value = messageOf(error);
    }
  }

  // changed reads the task again, or opens the task that the change created.
  changed(now?: API.Task | string) {
    if (typeof now === "object" && now.id !== this.task.peek()?.id) this.leadTo(now.id);
    else this.load().catch(() => {}); // it is read again and again
  }

  leadTo(id: string) { location.assign(`/tasks/${id}`); }

  // call returns a tool call of the task with its arguments and result.
  async call({agent, turn, turn_step, index}: API.TimelineStep & {agent: string}) {
    const query = new URLSearchParams({agent, turn: String(turn)}), whose = this.whose();
    if (whose) query.set("person", whose);
    const calls = await ask<API.TurnCall[]>(`/api/tasks/${encodeURIComponent(this.#id)}/calls?${query}`);
    return calls.find(call => call.step === turn_step && call.index === index);
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
