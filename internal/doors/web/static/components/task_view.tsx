// All that is known of one task.

import type * as API from "../api_types";
import {display, moment, terminal} from "../api";
import {about, may, me} from "../stores/account";
import {money, number, took} from "../numbers";
import {called} from "../stores/names";
import type {TaskPage} from "../stores/task_page";
import type {ChatFile} from "../stores/work";
import {type ComponentChildren, useLayoutEffect, useMemo, useRef} from "../ui";
import {say, type Words} from "../words";
import {AskedHere} from "./asked_here";
import {ChatLink} from "./chat_link";
import {Decision} from "./decision";
import {Elapsed} from "./elapsed";
import {FileLink} from "./file";
import {LinkedText} from "./linked_text";
import {Plan} from "./plan";
import {FilePreview} from "./preview";
import {QuestionEnd} from "./question_end";
import {State} from "./state_word";
import {Steer} from "./steer";
import {TaskActions} from "./task_actions";
import {Text} from "./text";
import {Steps, Timeline} from "./timeline";

export function TaskView({page}: {page: TaskPage}) {
  const task = page.task.value, details = page.details.value, line = page.line.value, head = useRef<HTMLElement>(null!);
  const held = head.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // Its button is gone with what it was for.
    if (held && !head.current.contains(document.activeElement)) head.current.focus({preventScroll: true});
  });
  if (!task || !details || !line) return <main class="page dashboard">{page.missing.value && <><h1>{say("page.task_view.task_cannot_shown")}</h1><p>{page.missing.value}</p><p><a href="/tasks">{say("page.task_view.all_tasks")}</a></p></>}</main>;
  const over = terminal(task.state), several = (task.plans?.length ?? 0) > 1, outcome = task.result || task.error;
  const whose = me.value?.role === "master_admin" && task.origin.person !== me.value?.id ? "*" : "";
  const open = details.questions.filter(q => q.state === "open"), closed = details.questions.filter(q => q.state !== "open");
  return <main class="page dashboard one-task" data-task={task.id}>
    <nav class="crumbs" aria-label={say("page.task_view.where_this_task_stands")}><a href="/tasks">{say("page.tasks")}</a>
      {details.above.map(t => <span key={t.id}><span aria-hidden="true"> › </span><a href={`/tasks/${t.id}`} dir="auto">{t.title}</a></span>)}</nav>
    <header class="task-head" ref={head} tabindex={-1}>
      <h1 dir="auto">{display(task.agent)}: {task.title}</h1>
      <State state={task.state} />
      <TaskActions task={task} whose={whose} changed={now => page.changed(now)} />
    </header>
    <div class="task-columns">
      <div class="task-main">
        {open.map(q => <AskedHere key={q.id} question={q} answer={given => page.answer(q.id, given)} />)}
        {task.decision ? <section><h2>{say("page.task_view.decision")}</h2><div class="boxed"><Decision task={task} /></div></section> : null}
        {!task.decision && outcome ? <section id="result"><h2>{task.result ? say("page.result") : task.state === "canceled" ? say("page.reason") : say("page.what_went_wrong")}</h2><div class="result boxed"><Outcome id={task.id} text={outcome} files={details.files} /></div></section> : null}
        {task.trouble && <p class="trouble">{task.trouble}</p>}
        <section id="request"><h2>{say("page.task_view.what_was_asked")}</h2><div class="result boxed"><Text text={task.task} /></div>
          {task.briefing && <details><summary>{say("page.task_view.what_went_with_it")}</summary><ul class="plain">{task.briefing.messages?.map((m, i) => <li key={i}><b dir="auto">{m.who}</b> <span dir="auto">{m.text}</span></li>)}</ul></details>}</section>
        {task.plans && task.plans.length > 0 && <section><h2>{say("page.plan")}</h2>{task.plans.map(plan => <Plan key={plan.agent} plan={plan} named={several} />)}</section>}
        <section id="timeline"><h2>{say("page.task_view.timeline")}</h2><Timeline line={line} /><Steps line={line} id={task.id} /></section>
        {details.tree.length > 1 && <Delegated tree={details.tree} />}
        {closed.length > 0 && <section id="asked"><h2>{say("page.task_view.questions_and_answers")}</h2><ul class="plain">{closed.map(q => <li key={q.id}>
          <div class="asked-text"><span class="muted">{display(q.agent)}</span> <Text text={q.text} /></div><QuestionEnd question={q} called={called} /></li>)}</ul></section>}
        {details.files.length > 0 && <section id="files"><h2>{say("page.task_view.files")}</h2>{details.files.map(f => <FileLink key={f.path} href={`/api/files/${task.id}/content?path=${encodeURIComponent(f.path)}`} name={f.path} size={f.size} type={f.type} note={display(f.agent)} inList />)}</section>}
        <Deliveries task={task} list={details.deliveries} />
        {may("POST /api/tasks/{id}/steer") && <section><h2>{over ? say("page.task_view.go_on_with_it") : say("page.task_view.add_to_it")}</h2><Steer task={task} over={over} tasks={page} /></section>}
      </div>
      <FilePreview />
      <Facts task={task} branch={details.tree[0].branch} over={over} />
    </div>
  </main>;
}

// Outcome is what came of a task, with links to the files that it names.
function Outcome({id, text, files}: {id: string; text: string; files: API.File[]}) {
  const named = useMemo(() => files.map((f): ChatFile => ({name: f.path, type: f.type, size: f.size, created: f.created, by: display(f.agent), href: `/api/files/${id}/content?path=${encodeURIComponent(f.path)}`})), [id, files]);
  return <LinkedText text={text} files={named} />;
}

const another = (label: string, id?: string): [string, ComponentChildren] | null => id ? [say(label), <a href={`/tasks/${id}`}><code>{id}</code></a>] : null;

function Facts({task, branch, over}: {task: API.Task; branch?: API.BranchSum; over: boolean}) {
  const id = task.id, ui = about.value.web_ui, session = task.origin.session_id;
  const facts: ([string, ComponentChildren] | null)[] = [
    [say("page.task_view.id"), <code>{id}</code>],
    [say("page.agent"), display(task.agent)],
    [say("page.from"), task.from ? display(task.from) : called(task.origin.person)],
    [say("page.chat"), <ChatLink task={task} />],
    [say("page.began"), <time datetime={task.created}>{moment(task.created)}</time>],
    over ? [say("page.task_view.ended"), <time datetime={task.finished}>{moment(task.finished)}</time>] : null,
    [say("page.took"), over ? took(task.created, task.finished ?? "") : <Elapsed from={task.created} />],
    [say("page.model_calls"), number(task.model_calls)],
    [say("page.tokens_used"), <>{number(task.tokens)}{task.cached_tokens ? <> <span class="muted">{say("page.from_cache", {n: number(task.cached_tokens)})}</span></> : null}</>],
    [say("page.cost"), task.cost ? money(task.cost) : <span class="muted">{say("page.none_known")}</span>],
    branch && branch.tasks > 1 ? [say("page.task_view.with_all_below"), <>{say("page.task_view.tasks", {n: number(branch.tasks)})}, {say("page.tokens", {n: number(branch.tokens)})}{branch.cost ? <>, {money(branch.cost)}</> : null}</>] : null,
    task.added ? [say("page.task_view.added"), say(task.added === 1 ? "page.task_view.one_message" : "page.task_view.messages", {n: task.added})] : null,
    another("page.task_view.goes_on_with", task.continues), another("page.task_view.retry_of", task.retry_of), another("page.task_view.late_answer_of", task.late_of),
    another("page.task_view.follows", task.follows), another("page.followed_by", task.followed_by),
  ];
  const temporal = (path: string) => `${ui}/namespaces/default/workflows${path}`;
  return <aside class="facts" aria-label={say("page.task_view.facts")}>
    <dl>{facts.filter(fact => fact !== null).map(([label, value]) => <div key={label}><dt>{label}</dt><dd dir="auto">{value}</dd></div>)}</dl>
    {ui && <p class="muted">{say("page.task_view.in_temporal")} <a href={temporal(`/${id}`)} target="_blank" rel="noopener">{say("page.task_view.this_workflow")}</a>{session ? <>, <a href={temporal(`?query=${encodeURIComponent(`ErrandSession="${session}"`)}`)} target="_blank" rel="noopener">{say("page.task_view.all_of_this_conversation")}</a></> : null}</p>}
  </aside>;
}

// Delegated is what stands below a task, with what each branch has come to.
function Delegated({tree}: {tree: API.Task[]}) {
  const priced = tree.some(t => t.branch?.cost);
  return <section id="delegated"><h2>{say("page.task_view.delegated")}</h2><div class="rows-scroll"><table class="plain-table">
    <thead><tr><th>{say("page.task")}</th><th>{say("page.state")}</th><th class="num">{say("page.took")}</th><th class="num">{say("page.tokens_used")}</th>{priced && <th class="num">{say("page.cost")}</th>}</tr></thead>
    <tbody>{tree.map(t => <tr key={t.id} data-level={Math.min(t.level ?? 0, 4)}>
      <th scope="row" class="what">{t.level ? <a href={`/tasks/${t.id}`} dir="auto">{display(t.agent)}: {t.title}</a> : say("page.task_view.all_of_it")}</th>
      <td>{t.level ? <State state={t.state} /> : null}</td>
      <td class="num">{terminal(t.state) ? took(t.created, t.finished ?? "") : <Elapsed from={t.created} />}</td>
      <td class="num">{number(t.branch?.tokens)}</td>{priced && <td class="num">{t.branch?.cost ? money(t.branch.cost) : ""}</td>}
    </tr>)}</tbody>
  </table></div></section>;
}

const ways: Words = {turn: () => say("page.task_view.agent_waited_used_answer"), fold: () => say("page.task_view.was_reported_chat"), notification: () => say("page.task_view.was_sent_as_message"), none: () => say("page.task_view.result_kept_here_there")};

function Deliveries({task, list}: {task: API.Task; list: API.TaskDelivery[]}) {
  const way = terminal(task.state) && task.state !== "canceled" ? ways[task.way ?? ""]?.() : null;
  if (!way && !list.length) return null;
  // What is told on the page is neither attempted nor acknowledged.
  const attempted = list.some(n => n.attempts), received = list.some(n => n.receipts?.length);
  return <section id="delivery"><h2>{say("page.task_view.delivery")}</h2>
    {way && <p>{way}</p>}
    {list.length > 0 && <div class="rows-scroll"><table class="plain-table">
      <thead><tr><th>{say("page.task_view.where")}</th><th>{say("page.state")}</th><th>{say("page.task_view.when")}</th>{attempted && <th class="num">{say("page.task_view.attempts")}</th>}{received && <th>{say("page.task_view.receipts")}</th>}</tr></thead>
      <tbody>{list.map(n => <tr key={n.id}>
        <td dir="auto">{[n.route.channel, n.route.chat].filter(Boolean).join(", ")}</td>
        <td><State state={n.state} />{n.error && <div class="muted">{n.error}</div>}</td>
        <td><time datetime={n.sent_at ?? n.created}>{moment(n.sent_at ?? n.created)}</time></td>
        {attempted && <td class="num">{n.attempts}</td>}
        {received && <td>{n.receipts?.map(receipt => <><code key={receipt}>{receipt}</code> </>)}</td>}
      </tr>)}</tbody>
    </table></div>}
  </section>;
}
