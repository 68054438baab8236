// The line of a task in a card: who does what, and how far it is. Opened, it shows the plan,
// the result, and what can be done with the task.

import type * as API from "../api_types";
import {display, terminal} from "../api";
import {money, number} from "../numbers";
import {may} from "../stores/account";
import type {Conversation} from "../stores/conversation";
import {isUnder, questionOf} from "../stores/errands";
import {useLayoutEffect, useRef, useState} from "../ui";
import {say, type Words} from "../words";
import {Decision} from "./decision";
import {Elapsed} from "./elapsed";
import {Icon} from "./icon";
import {Initials} from "./initials";
import {ChatText} from "./linked_text";
import {Plan} from "./plan";
import {Steer} from "./steer";
import {TaskActions} from "./task_actions";
import {toQuestion} from "./waiting";
import {either} from "./waits_for";

interface LineProps {
  id: string;
  conversation: Conversation;
  open: string; // id of the line that is open; empty: none
  choose: (id: string) => void;
}

export function TaskLine({id, conversation, open, choose}: LineProps) {
  const task = conversation.tasks.get(id).value, line = useRef<HTMLElement>(null!);
  const held = line.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // The focused button is gone: focus its line instead.
    if (held && !line.current.contains(document.activeElement)) line.current.focus({preventScroll: true});
  });
  if (!task) return <article class="task" id={id} data-task={id} aria-label={say("page.task.task", {id})} ref={line} tabindex={-1}>{say("page.task.task", {id})}</article>;
  const over = terminal(task.state), isOpen = open === id, name = `${display(task.agent)}: ${task.title}`;
  const below = over && !isUnder(open, [id], conversation) ? [] : conversation.below(id);
  return <article class={`task ${task.state}`} id={id} data-task={id} aria-label={name} ref={line} tabindex={-1}>
    <div class="line">
      {task.state === "completed" && <Icon name="check" />}
      <Initials name={task.agent} />
      <button class="toggle" type="button" aria-expanded={isOpen} onClick={() => choose(isOpen ? "" : id)}><span class="hidden">{display(task.agent)}: </span><span class="title" dir="auto">{task.title}</span></button>
      <StateOf task={task} conversation={conversation} />
      <span class="facts"><Elapsed from={task.created} to={over ? task.finished : undefined} />{task.cost ? ` · ${money(task.cost)}` : ""}</span>
      <Icon name={isOpen ? "chevronDown" : "chevronRight"} />
    </div>
    {!isOpen && ["failed", "rejected"].includes(task.state) && <p class="reason" dir="auto">{task.error}</p>}
    {task.trouble && <p class="trouble">{task.trouble}</p>}
    {isOpen && <Opened task={task} over={over} conversation={conversation} />}
    {below.length > 0 && <ul class="below">{below.map(one => <li key={one}><TaskLine id={one} conversation={conversation} open={open} choose={choose} /></li>)}</ul>}
  </article>;
}

// StateOf says how a task is. A question for this person leads to where it is answered.
function StateOf({task, conversation}: {task: API.Task; conversation: Conversation}) {
  const q = questionOf(task, conversation);
  switch (task.state) {
    case "submitted": return <span class="state">{say("page.task.queued")}</span>;
    case "working": return <span class="state going"><i class="spin"></i>{say("page.task.at_work")}</span>;
    case "input_required":
      if (q?.may_answer) return <a class="state wait" href="/questions" onClick={event => toQuestion(q, event)}>{say("page.task.waits_for_you")}</a>;
      return <span class="state">{q?.deciders?.length ? say("page.task.waits_for", {names: either(q.deciders)}) : say("state.input_required")}</span>;
    case "completed": return <span class="hidden">{say("state.completed")}</span>;
    case "canceled": return <span class="state">{task.reason === "stopped" ? say("page.task.canceled_by_you") : say("state.canceled")}</span>;
  }
  return <span class="state fail">{say("state.failed")}</span>;
}

function Opened({task, over, conversation}: {task: API.Task; over: boolean; conversation: Conversation}) {
  const [adding, add] = useState(false), {tasks} = conversation, several = (task.plans?.length ?? 0) > 1, doing = conversation.does(task.id);
  const helpers = conversation.below(task.id).flatMap(id => tasks.get(id).value ?? []).filter(({state}) => !terminal(state));
  const outcome = task.result || task.error, page = may("GET /tasks/{id}");
  return <div class="opened">
    {task.plans?.map(plan => <Plan key={plan.agent} plan={plan} named={several} over={over}
      helpers={!several && helpers.map(one => <span key={one.id} class="facts">{display(one.agent)}, <Elapsed from={one.created} /></span>)} />)}
    {!over && doing && task.state !== "input_required" && !(task.trouble && doing.includes(task.trouble)) ? <p class="about">{doing}</p> : null}
    {task.decision ? <Decision task={task} /> : null}
    {!task.decision && outcome ? <div class="result"><ChatText text={outcome} conversation={conversation} /></div> : null}
    <Facts task={task} conversation={conversation} />
    <div class="acts">
      {page && <a class="text" href={`/tasks/${task.id}`}><Icon name="externalLink" />{say("page.task.open")}</a>}
      {may("POST /api/tasks/{id}/steer") && <button class="text" type="button" aria-expanded={adding} onClick={() => add(!adding)}><Icon name="plus" />{over ? say("page.task_view.go_on_with_it") : say("page.task_view.add_to_it")}</button>}
      <TaskActions task={task} changed={() => tasks.changed(task.id)} inCard />
    </div>
    {adding && <Steer key={String(over)} task={task} over={over} tasks={tasks} leave={() => add(false)} />}
  </div>;
}

const told: Words<[API.Task]> = {turn: task => say("page.task.reported_to", {agent: display(task.from)}), fold: () => say("page.task.reported_in_the_chat"), notification: () => say("page.task.sent_as_a_message"), none: () => say("page.task.result_kept_here")};

function Facts({task, conversation}: {task: API.Task; conversation: Conversation}) {
  const way = task.state === "canceled" ? undefined : told[task.way ?? ""]?.(task), at = conversation.told(task.id);
  return <p class="about">
    {task.model_calls ? <span>{say(task.model_calls === 1 ? "page.one_step" : "page.steps", {n: task.model_calls})}</span> : null}
    {task.cached_tokens ? <span>{say("page.tokens", {n: number(task.tokens)})}, {say("page.from_cache", {n: number(task.cached_tokens)})}</span> : null}
    {task.continues ? <span>{say("page.task.goes_on_with")} <ID id={task.continues} /></span> : null}
    {task.late_of ? <span>{say("page.task.late_answer_of")} <ID id={task.late_of} /></span> : null}
    {task.added ? <span>{say(task.added === 1 ? "page.task.one_message_added" : "page.task.messages_added", {n: task.added})}</span> : null}
    {way ? <span>{at ? <a href={`#e${at.event}`}>{way}</a> : way}</span> : null}
  </p>;
}

const ID = ({id}: {id: string}) => <a href={`/tasks/${id}`}><code>{id}</code></a>;
