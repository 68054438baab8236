// What happened to a task, in order: tool calls, delegations, added messages, questions, times
// when errand was not running, and the delivery of the answer.

import type * as API from "../api_types";
import {display, messageOf, moment, terminal} from "../api";
import {deedOf} from "../deeds";
import {number, took} from "../numbers";
import {may, me} from "../stores/account";
import {announce} from "../stores/announcer";
import {called} from "../stores/names";
import type {TaskPage} from "../stores/task_page";
import {type ChatFile, previewed} from "../stores/work";
import {clock} from "../times";
import {type ComponentChildren, useState} from "../ui";
import {say, type Words} from "../words";
import {Details, Subject} from "./call";
import {ChatLink} from "./chat_link";
import {amount} from "./file";
import {Icon} from "./icon";
import {Initials} from "./initials";
import {QuestionEnd} from "./question_end";
import {stateWord} from "./state_word";
import {Text} from "./text";

interface Happened {
  at: string;
  mark: ComponentChildren;
  what: ComponentChildren; // who did what
  about?: ComponentChildren;
  out?: ComponentChildren;
  failed?: boolean;
  name?: string; // class name for styles
  below?: ComponentChildren;
  open?: () => Promise<ComponentChildren>; // what a click shows
}

export function TaskEvents({page, task, details, line}: {page: TaskPage; task: API.Task; details: API.TaskDetails; line: API.Timeline}) {
  const events = [
    ...line.rows.filter(row => row.task_id === task.id).flatMap(row => (row.steps ?? []).map(step => ({...step, agent: row.agent})))
      .flatMap(step => step.kind === "task" ? delegated(step, details) : step.index ? tool(step, page, details, task) : []),
    ...details.messages.map(added), ...details.questions.filter(q => q.state !== "open").map(asked),
    ...line.gaps.map(gap => notRunning(gap, task)), ...delivered(task, details),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  if (!events.length) return null;
  return <ol class="events">{events.map((event, i) => <Event key={`${event.at} ${i}`} event={event} />)}</ol>;
}

function Event({event}: {event: Happened}) {
  const [shown, show] = useState<ComponentChildren>(null), [isOpen, setOpen] = useState(false);
  const toggle = async () => {
    setOpen(!isOpen);
    if (isOpen || !event.open) return;
    show(await event.open().catch(error => {
      announce(messageOf(error));
      return <p class="said">{messageOf(error)}</p>;
    }));
  };
  const what = event.open ? <button type="button" class="link" aria-expanded={isOpen} onClick={toggle}>{event.what}</button> : <b>{event.what}</b>;
  return <li class={event.failed ? "bad" : event.name}>
    <time datetime={event.at} title={moment(event.at)}>{clock(event.at)}</time>{event.mark}
    <span class="did" dir="auto">{what} {event.about}</span><span class="out" dir="auto">{event.out}</span>
    {event.below && <div class="below">{event.below}</div>}
    {isOpen && <div class="below">{shown ?? <p>…</p>}</div>}
  </li>;
}

function tool(step: API.TimelineStep & {agent: string}, page: TaskPage, {files}: API.TaskDetails, task: API.Task): Happened {
  const [icon, deed] = deedOf(step.name), {about} = step, file = /file|artifact/.test(step.name) ? files.map(f => fileOf(f, task.id)).find(f => f.name === about) : undefined;
  return {
    // A call may have waited for an approval before it ran.
    at: step.ended || step.begun, mark: <Icon name={icon} />, what: task.agents.length > 1 ? `${display(step.agent)}: ${deed}` : deed, about: <Subject about={about} file={file} />,
    failed: Boolean(step.failure), out: outcome(step, file),
    open: may("GET /api/tasks/{id}/calls") ? async () => {
      const call = await page.call(step);
      return call ? <Details call={call} /> : <p>{say("page.call.no_result_yet")}</p>;
    } : undefined,
  };
}

export const fileOf = (f: API.File, task: string): ChatFile => ({href: `/api/files/${task}/content?path=${encodeURIComponent(f.path)}`, name: f.path, size: f.size, type: f.type, created: f.created, by: display(f.agent)});

// FileName is a link that opens the preview of a file.
export function FileName({file}: {file: ChatFile}) {
  return <a href={file.href} download={file.name.split("/").pop()} dir="auto" onClick={event => {
    event.preventDefault();
    previewed.value = file;
  }}>{file.name}</a>;
}

function outcome({name, failure, results, words, ended}: API.TimelineStep, file?: ChatFile) {
  if (failure) return say("page.task_events.failed", {reason: failure.replace(/^https?:\/\/\S+: /, "")});
  if (!ended) return say("page.task.at_work");
  if (name === "web_search") return say(results === 1 ? "page.call.one_result" : "page.call.results", {n: number(results)});
  if (name === "write_file" && file) return amount(file.size);
  return /^(web_fetch|read_)/.test(name) && words ? say("page.call.words", {n: number(words)}) : "";
}

function delegated(step: API.TimelineStep & {agent: string}, {tree}: API.TaskDetails): Happened {
  const task = tree.find(one => one.id === step.task_id), agent = display(task?.agent);
  return {at: step.begun, mark: <Initials name={task?.agent ?? ""} />, what: say("page.steps.asked", {agent}), failed: task?.state === "failed",
    about: <a href={`/tasks/${step.task_id}`}>{task?.title ?? step.task_id}</a>, out: task && terminal(task.state) ? `${task.state === "completed" ? "" : `${stateWord(task.state)}, `}${took(task.created, task.finished ?? "")}` : say("page.task.at_work")};
}

function added({person, agent, text, created, read}: API.AddedMessage): Happened {
  const who = agent ? display(agent) : called(person);
  return {at: created, mark: <Icon name="messageSquare" />, what: !agent && person === me.value?.id ? say("page.task_events.you_added") : say("page.task_events.added", {name: who}), about: `“${text}”`,
    out: say(read ? "page.task_events.was_read" : "page.task_events.not_read_yet")};
}

const asked = (q: API.QuestionView): Happened => ({
  at: q.created, mark: <Icon name="question" />, what: say("page.task_events.agent_asked", {agent: display(q.agent)}), about: <Text text={q.text} />, name: "asked-row", below: <QuestionEnd question={q} called={called} />,
});

const notRunning = ({from, to}: API.Outage, task: API.Task): Happened => ({
  at: from, mark: <Icon name="power" />, what: say("page.task_events.not_running"), about: say("page.task_events.went_on", {agent: display(task.agent)}), out: took(from, to), name: "gap",
});

const ways: Words = {turn: () => say("page.task_view.agent_waited_used_answer"), fold: () => say("page.task_view.was_reported_chat"), none: () => say("page.task_view.result_kept_here_there")};

// delivered returns the deliveries of the answer, and failed deliveries of questions.
function delivered(task: API.Task, {deliveries, chat}: API.TaskDetails): Happened[] {
  const failed = ["blocked", "unknown", "dismissed"], answers = deliveries.filter(n => n.event !== "question" || failed.includes(n.state));
  const where = ({route}: API.TaskDelivery) => route.channel === "web" && route.chat === task.origin.chat ? <ChatLink task={task} title={chat} /> : [route.channel, route.chat].filter(Boolean).join(", ");
  if (!answers.length) {
    const way = task.state === "completed" || task.way === "fold" && task.state !== "canceled" ? ways[task.way ?? ""]?.() : "";
    return way ? [{at: task.finished ?? task.created, mark: <Icon name="check" />, what: way, about: task.way === "fold" ? <ChatLink task={task} title={chat} /> : "", name: "delivered"}] : [];
  }
  return answers.map(n => ({
    at: n.sent_at ?? n.created, mark: <Icon name={n.state === "sent" ? "check" : failed.includes(n.state) ? "circleX" : "clock"} />, name: "delivered", failed: failed.includes(n.state),
    what: n.state === "sent" ? say(n.event === "notice" || task.state !== "completed" ? "page.task_events.sent_a_notice" : "page.task_events.delivered") : stateWord(n.state), about: where(n),
    out: n.state === "sent" ? n.attempts > 1 ? say("page.task_events.after_attempts", {n: n.attempts}) : say("page.task_events.once") : n.error,
  }));
}
