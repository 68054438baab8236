// The card of a task.

import type * as API from "../api_types";
import {display, terminal} from "../api";
import {money, number} from "../numbers";
import {about, may} from "../stores/account";
import type {Tasks} from "../stores/tasks";
import {type ComponentChildren, useLayoutEffect, useRef} from "../ui";
import {say, type Words} from "../words";
import {Decision} from "./decision";
import {Elapsed} from "./elapsed";
import {Plan} from "./plan";
import {stateWord} from "./state_word";
import {Steer} from "./steer";
import {TaskActions} from "./task_actions";
import {Text} from "./text";

const told: Words<[API.Task]> = {turn: task => say("page.task.reported_to", {agent: display(task.from)}), fold: () => say("page.task.reported_in_the_chat"), notification: () => say("page.task.sent_as_a_message"), none: () => say("page.task.result_kept_here")};

export function TaskCard({id, tasks, doing, told: at, children}: {id: string; tasks: Tasks; doing?: string; told?: string; children?: ComponentChildren}) {
  const task = tasks.get(id).value;
  const card = useRef<HTMLElement>(null!);
  const held = card.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // Its button is gone with what it was for: the card has the focus then.
    if (held && !card.current.contains(document.activeElement)) card.current.focus({preventScroll: true});
  });
  if (!task) return <article class="task" id={id} data-task={id} aria-label={say("page.task.task", {id})} ref={card} tabindex={-1}>{say("page.task.task", {id})}</article>;
  const over = terminal(task.state), several = (task.plans?.length ?? 0) > 1, way = told[task.way ?? ""]?.(task), title = `${display(task.agent)}: ${task.title}`;
  const outcome = task.result || task.error, happened = task.result ? say("page.result") : task.state === "canceled" ? say("page.reason") : say("page.what_went_wrong");
  return <article class={`task ${task.state}`} id={id} data-task={id} aria-label={title} ref={card} tabindex={-1}>
    <div class="row">
      {may("GET /tasks/{id}") ? <a class="title" href={`/tasks/${id}`} dir="auto">{title}</a> : <span class="title" dir="auto">{title}</span>}
      <TaskActions task={task} changed={() => tasks.changed(task.id)} />
    </div>
    <div class="row state">
      <ID id={id} />
      <span class="state-word">{stateWord(task.state)}</span>
      {task.model_calls ? <span>{say(task.model_calls === 1 ? "page.one_step" : "page.steps", {n: task.model_calls})}</span> : null}
      <Elapsed from={task.created} to={over ? task.finished : undefined} />
      {task.cached_tokens ? <span>{say("page.tokens", {n: number(task.tokens)})}, {say("page.from_cache", {n: number(task.cached_tokens)})}</span> : null}
      {task.continues ? <span>{say("page.task.goes_on_with")} <ID id={task.continues} /></span> : null}
      {task.late_of ? <span>{say("page.task.late_answer_of")} <ID id={task.late_of} /></span> : null}
      {task.added ? <span>{say(task.added === 1 ? "page.task.one_message_added" : "page.task.messages_added", {n: task.added})}</span> : null}
      {task.cost ? <span>{money(task.cost)}</span> : null}
      {way && task.state !== "canceled" ? <span>{at ? <a href={at}>{way}</a> : way}</span> : null}
      {task.trouble && !doing?.includes(task.trouble) ? <span class="trouble">{task.trouble}</span> : null}
      {!over && doing && task.state !== "input_required" ? <span>{doing}</span> : null}
    </div>
    {task.plans?.map(plan => <Plan key={plan.agent} plan={plan} named={several} over={over} />)}
    {task.decision ? <Decision task={task} /> : null}
    {!task.decision && outcome ? <details><summary>{happened}</summary><div class="result"><Text text={outcome} /></div></details> : null}
    {children}
    {may("POST /api/tasks/{id}/steer") ? <Steer task={task} over={over} tasks={tasks} /> : null}
  </article>;
}

function ID({id}: {id: string}) {
  const ui = about.value.web_ui;
  return ui ? <a href={`${ui}/namespaces/default/workflows/${id}`} target="_blank" rel="noopener"><code>{id}</code></a> : <code>{id}</code>;
}
