// All that is known of one task.

import type * as API from "../api_types";
import {display, moment, terminal} from "../api";
import {about, may, me} from "../stores/account";
import {announce} from "../stores/announcer";
import {money, number, took} from "../numbers";
import {called} from "../stores/names";
import type {TaskPage} from "../stores/task_page";
import {type ComponentChildren, useLayoutEffect, useMemo, useRef} from "../ui";
import {say} from "../words";
import {AskedHere} from "./asked_here";
import {ChatLink} from "./chat_link";
import {Decision} from "./decision";
import {Elapsed} from "./elapsed";
import {amount, iconOf} from "./file";
import {Icon} from "./icon";
import {Initials} from "./initials";
import {LinkedText} from "./linked_text";
import {copied} from "./meta";
import {Plan} from "./plan";
import {FilePreview} from "./preview";
import {Side} from "./side";
import {State, stateWord, TaskState} from "./state_word";
import {Steer} from "./steer";
import {TaskActions} from "./task_actions";
import {FileName, fileOf, TaskEvents} from "./task_events";
import {Text} from "./text";
import {ModelCalls, Timeline} from "./timeline";

export function TaskView({page}: {page: TaskPage}) {
  const task = page.task.value, details = page.details.value, line = page.line.value, head = useRef<HTMLElement>(null!);
  const held = head.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // The focused button is gone: focus the head instead.
    if (held && !head.current.contains(document.activeElement)) head.current.focus({preventScroll: true});
  });
  if (!task || !details || !line) return <main class="page dashboard">{page.missing.value && <><h1>{say("page.task_view.task_cannot_shown")}</h1><p>{page.missing.value}</p><p><a href="/tasks">{say("page.task_view.all_tasks")}</a></p></>}</main>;
  const over = terminal(task.state), several = (task.plans?.length ?? 0) > 1, open = details.questions.filter(q => q.state === "open");
  return <>
    <Side label={say("page.state")}><StateLinks counts={page.counts.value} /></Side>
    <main class="page dashboard one-task" data-task={task.id}>
      <div class="lead">
        <nav class="crumbs" aria-label={say("page.task_view.where_this_task_stands")}><a href="/tasks"><Icon name="arrowLeft" />{say("page.tasks")}</a>
          {details.above.map(t => <span key={t.id}><span aria-hidden="true"> › </span><a href={`/tasks/${t.id}`} dir="auto">{t.title}</a></span>)}</nav>
        <header class="task-head" ref={head} tabindex={-1}>
          <h1 dir="auto">{task.title}</h1>
          <TaskActions task={task} whose={me.value?.role === "master_admin" && task.origin.person !== me.value?.id ? "*" : ""} changed={now => page.changed(now)} />
        </header>
        <StateLine task={task} chat={details.chat} question={open.find(q => q.task_id === task.id)} />
        {open.map(q => <AskedHere key={q.id} question={q} answer={given => page.answer(q.id, given)} />)}
        {task.decision ? <section><h2>{say("page.task_view.decision")}</h2><Decision task={task} /></section> : <Outcome task={task} files={details.files} />}
        {task.trouble && <p class="trouble">{task.trouble}</p>}
        {may("POST /api/tasks/{id}/steer") && <section id="steer"><h2>{over ? say("page.task_view.go_on_with_it") : say("page.task_view.add_to_it")}</h2><Steer key={String(over)} task={task} over={over} tasks={page} /></section>}
        {task.plans && task.plans.length > 0 && <section><h2>{say("page.plan")}</h2>{task.plans.map(plan => <Plan key={plan.agent} plan={plan} named={several} over={over} open />)}</section>}
        <section id="timeline"><h2>{say("page.task_view.timeline")}</h2><Timeline line={line} /><TaskEvents page={page} task={task} details={details} line={line} /><ModelCalls line={line} id={task.id} /></section>
      </div>
      <FilePreview />
      <Rail task={task} details={details} line={line} />
    </main>
  </>;
}

const states = ["open", "input_required", "completed", "failed", "canceled"] as const;

// StateLinks links to the list of tasks, filtered by state.
function StateLinks({counts}: {counts: API.TaskNumbers | null}) {
  const of = (state: typeof states[number]) => !counts ? 0 : state === "open" ? counts.submitted + counts.working + counts.input_required : counts[state];
  return <><h2>{say("page.state")}</h2><a href="/tasks"><span class="first-up">{say("page.task_filters.all")}</span></a>
    {states.map(state => <a key={state} href={`/tasks?state=${state}`}><span class="first-up">{stateWord(state)}</span>{counts && <span class="n">{number(of(state))}</span>}</a>)}</>;
}

function StateLine({task, chat, question}: {task: API.Task; chat?: string; question?: API.QuestionView}) {
  const over = terminal(task.state);
  return <p class="state-line"><TaskState task={task} question={question} />
    <span>{over ? say("page.task_view.took", {time: took(task.created, task.finished ?? "")}) : <Elapsed from={task.created} />}</span>
    <time datetime={task.finished ?? task.created}>{moment(task.finished ?? task.created)}</time>
    <span>{say("page.task_view.in")} <ChatLink task={task} title={chat} /></span></p>;
}

// Outcome is the answer of a task, with links to the files that it names, or the reason for no answer.
function Outcome({task, files}: {task: API.Task; files: API.File[]}) {
  const named = useMemo(() => files.map(f => fileOf(f, task.id)), [task.id, files]), failed = ["failed", "rejected"].includes(task.state);
  const text = task.result || task.error;
  if (!text) return null;
  const copy = async () => announce(say(await copied(text) ? "page.copied" : "page.not_copied"));
  return <section id="result" class={failed ? "failure" : undefined}>
    <h2>{task.result ? say("page.task_view.answer") : failed ? say("page.what_went_wrong") : say("page.reason")}</h2>
    <div class="result"><LinkedText text={text} files={named} /></div>
    {failed && <p class="muted">{say("page.task_view.what_to_do")}</p>}
    {task.result && <p class="acts"><button class="text" type="button" onClick={copy}><Icon name="copy" />{say("page.copy")}</button>
      {may("POST /api/tasks/{id}/steer") && <button class="text" type="button" onClick={() => document.querySelector<HTMLElement>("#steer input")?.focus()}><Icon name="cornerDownRight" />{say("page.task_view.go_on_with_it")}</button>}</p>}
  </section>;
}

const another = (label: string, id?: string): [string, ComponentChildren] | null => id ? [say(label), <a href={`/tasks/${id}`}><code>{id}</code></a>] : null;

// Rail is the column on the side: details, request, subtasks and files.
function Rail({task, details, line}: {task: API.Task; details: API.TaskDetails; line: API.Timeline}) {
  const {id, briefing} = task, ui = about.value.web_ui, session = task.origin.session_id, [{branch}, ...below] = details.tree;
  const calls = line.rows.filter(row => row.task_id === id).flatMap(row => row.steps ?? []).filter(step => step.kind === "model");
  const models = [...new Set(calls.map(step => step.name).filter(Boolean))].join(", "), attempts = calls.reduce((sum, step) => sum + (step.attempts ?? 0), 0);
  const facts: ([string, ComponentChildren] | null)[] = [
    [say("page.agent"), <>{task.agents.map(name => <span key={name} class="who"><Initials name={name} />{display(name)}</span>)}</>],
    [say("page.task_view.asked_by"), task.from ? <><Initials name={task.from} />{display(task.from)}</> : <><Initials name={called(task.origin.person)} person />{called(task.origin.person)}</>],
    models ? [say("page.task_view.model"), models] : null,
    [say("page.cost"), task.cost ? money(task.cost) : <span class="muted">{say("page.none_known")}</span>],
    branch && branch.tasks > 1 ? [say("page.task_view.with_subtasks"), branch.cost ? money(branch.cost) : say("page.tokens", {n: number(branch.tokens)})] : null,
    [say("page.tokens_used"), <>{number(task.tokens)}{task.cached_tokens ? <span class="muted">{say("page.from_cache", {n: number(task.cached_tokens)})}</span> : null}</>],
    [say("page.model_calls"), number(task.model_calls)],
    attempts > calls.length ? [say("page.task_view.attempts"), number(attempts)] : null,
    [say("page.began"), <time datetime={task.created}>{moment(task.created)}</time>],
    [say("page.task_view.id"), <code>{id}</code>],
    another("page.task_view.goes_on_with", task.continues), another("page.task_view.retry_of", task.retry_of), another("page.task_view.late_answer_of", task.late_of),
    another("page.task_view.follows", task.follows), another("page.followed_by", task.followed_by),
  ];
  const temporal = (path: string) => `${ui}/namespaces/default/workflows${path}`;
  return <aside class="rail" aria-label={say("page.task_view.details")}>
    <h2>{say("page.task_view.details")}</h2>
    <dl class="facts">{facts.filter(fact => fact !== null).map(([label, value]) => <div key={label}><dt>{label}</dt><dd dir="auto">{value}</dd></div>)}</dl>
    {ui && <p class="muted">{say("page.task_view.in_temporal")} <a href={temporal(`/${id}`)} target="_blank" rel="noopener">{say("page.task_view.this_workflow")}</a>{session ? <>, <a href={temporal(`?query=${encodeURIComponent(`ErrandSession="${session}"`)}`)} target="_blank" rel="noopener">{say("page.task_view.all_of_this_conversation")}</a></> : null}</p>}
    <section id="request"><h2>{say("page.task_view.request")}</h2><div class="muted"><Text text={task.task} /></div>
      {briefing && <details><summary>{say("page.task_view.what_went_with_it")}</summary><ul class="plain">{briefing.messages?.map((m, i) => <li key={i}><b dir="auto">{m.who}</b> <span dir="auto">{m.text}</span></li>)}</ul></details>}</section>
    {below.length > 0 && <section id="delegated"><h2>{say("page.task_view.subtasks")}</h2><ul>{below.map(t => <li key={t.id} data-level={Math.min(t.level ?? 0, 4)}>
      <Initials name={t.agent} /><a href={`/tasks/${t.id}`} dir="auto">{t.title}</a><State state={t.state} /><span class="num">{t.branch?.cost ? money(t.branch.cost) : ""}</span></li>)}</ul></section>}
    {details.files.length > 0 && <section id="files"><h2>{say("page.task_view.files")}</h2><ul>{details.files.map(f => fileOf(f, id)).map(f => <li key={f.name}>
      <Icon name={iconOf(f)} /><FileName file={f} /><span class="num">{amount(f.size)}</span></li>)}</ul></section>}
  </aside>;
}
