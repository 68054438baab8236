// All that is known of one task.

import {display, moment, terminal} from "../api.js";
import {about, may, me} from "../stores/account.js";
import {money, number, took} from "../numbers.js";
import {called} from "../stores/names.js";
import {html, useLayoutEffect, useRef} from "../ui.js";
import {say} from "../words.js";
import {AskedHere} from "./asked_here.js";
import {ChatLink} from "./chat_link.js";
import {Decision} from "./decision.js";
import {Elapsed} from "./elapsed.js";
import {FileLink} from "./file.js";
import {Plan} from "./plan.js";
import {QuestionEnd} from "./question_end.js";
import {State} from "./state_word.js";
import {Steer} from "./steer.js";
import {TaskActions} from "./task_actions.js";
import {Text} from "./text.js";
import {Steps, Timeline} from "./timeline.js";

export function TaskView({page}) {
  const task = page.task.value, details = page.details.value, line = page.line.value, head = useRef();
  const held = head.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // Its button is gone with what it was for.
    if (held && !head.current.contains(document.activeElement)) head.current.focus({preventScroll: true});
  });
  if (!task) return html`<main class="page dashboard">${page.missing.value && html`<h2>${say("page.task_view.task_cannot_shown")}</h2><p>${page.missing.value}</p><p><a href="/tasks">${say("page.task_view.all_tasks")}</a></p>`}</main>`;
  const over = terminal(task.state), outcome = task.result || task.error;
  const whose = me.value?.role === "master_admin" && task.origin.person !== me.value.id ? "*" : "";
  const open = details.questions.filter(q => q.state === "open"), closed = details.questions.filter(q => q.state !== "open");
  return html`<main class="page dashboard one-task" data-task=${task.id}>
    <nav class="crumbs" aria-label=${say("page.task_view.where_this_task_stands")}><a href="/tasks">${say("page.tasks")}</a>
      ${details.above.map(t => html`<span key=${t.id}><span aria-hidden="true"> › </span><a href=${`/tasks/${t.id}`} dir="auto">${t.title}</a></span>`)}</nav>
    <header class="task-head" ref=${head} tabindex="-1">
      <h2 dir="auto">${display(task.agent)}: ${task.title}</h2>
      <${State} state=${task.state} />
      <${TaskActions} task=${task} whose=${whose} changed=${now => page.changed(now)} />
    </header>
    <div class="task-columns">
      <div class="task-main">
        ${open.map(q => html`<${AskedHere} key=${q.id} question=${q} answer=${given => page.answer(q.id, given)} called=${called} />`)}
        ${task.decision ? html`<section><h3>${say("page.task_view.decision")}</h3><div class="task"><${Decision} task=${task} /></div></section>` : null}
        ${!task.decision && outcome ? html`<section id="result"><h3>${task.result ? say("page.result") : task.state === "canceled" ? say("page.reason") : say("page.what_went_wrong")}</h3><div class="result boxed"><${Text} text=${outcome} /></div></section>` : null}
        ${task.trouble && html`<p class="trouble">${task.trouble}</p>`}
        <section id="request"><h3>${say("page.task_view.what_was_asked")}</h3><div class="result boxed"><${Text} text=${task.task} /></div>
          ${task.briefing && html`<details><summary>${say("page.task_view.what_went_with_it")}</summary><ul class="plain">${task.briefing.messages?.map((m, i) => html`<li key=${i}><b dir="auto">${m.who}</b> <span dir="auto">${m.text}</span></li>`)}</ul></details>`}</section>
        ${task.plans?.length > 0 && html`<section><h3>${say("page.plan")}</h3>${task.plans.map(plan => html`<${Plan} key=${plan.agent} plan=${plan} named=${task.plans.length > 1} />`)}</section>`}
        <section id="timeline"><h3>${say("page.task_view.timeline")}</h3><${Timeline} line=${line} /><${Steps} line=${line} id=${task.id} /></section>
        ${details.tree.length > 1 && html`<${Delegated} tree=${details.tree} />`}
        ${closed.length > 0 && html`<section id="asked"><h3>${say("page.task_view.questions_and_answers")}</h3><ul class="plain">${closed.map(q => html`<li key=${q.id}>
          <div class="asked-text"><span class="muted">${display(q.agent)}</span> <${Text} text=${q.text} /></div><${QuestionEnd} question=${q} called=${called} /></li>`)}</ul></section>`}
        ${details.files.length > 0 && html`<section id="files"><h3>${say("page.task_view.files")}</h3>${details.files.map(f => html`<${FileLink} key=${f.path} href=${`/api/files/${task.id}/content?path=${encodeURIComponent(f.path)}`} name=${f.path} size=${f.size} note=${display(f.agent)} />`)}</section>`}
        <${Deliveries} task=${task} list=${details.deliveries} />
        ${may("POST /api/tasks/{id}/steer") && html`<section class="task"><h3>${over ? say("page.task_view.go_on_with_it") : say("page.task_view.add_to_it")}</h3><${Steer} task=${task} over=${over} tasks=${page} /></section>`}
      </div>
      <${Facts} task=${task} branch=${details.tree[0].branch} over=${over} page=${page} />
    </div>
  </main>`;
}

function Facts({task, branch, over, page}) {
  const id = task.id, ui = about.value.web_ui, session = task.origin.session_id;
  const facts = [
    [say("page.task_view.id"), html`<code>${id}</code>`],
    [say("page.agent"), display(task.agent)],
    [say("page.from"), task.from ? display(task.from) : called(task.origin.person)],
    [say("page.chat"), html`<${ChatLink} task=${task} />`],
    [say("page.began"), html`<time datetime=${task.created}>${moment(task.created)}</time>`],
    over ? [say("page.task_view.ended"), html`<time datetime=${task.finished}>${moment(task.finished)}</time>`] : null,
    [say("page.took"), over ? took(task.created, task.finished) : html`<${Elapsed} from=${task.created} />`],
    [say("page.model_calls"), number(task.model_calls)],
    [say("page.tokens_used"), html`${number(task.tokens)}${task.cached_tokens ? html` <span class="muted">${say("page.from_cache", {n: number(task.cached_tokens)})}</span>` : null}`],
    [say("page.cost"), task.cost ? money(task.cost) : html`<span class="muted">${say("page.none_known")}</span>`],
    branch.tasks > 1 ? [say("page.task_view.with_all_below"), html`${say("page.task_view.tasks", {n: number(branch.tasks)})}, ${say("page.tokens", {n: number(branch.tokens)})}${branch.cost ? html`, ${money(branch.cost)}` : null}`] : null,
    task.added ? [say("page.task_view.added"), say(task.added === 1 ? "page.task_view.one_message" : "page.task_view.messages", {n: task.added})] : null,
    ...[[say("page.task_view.goes_on_with"), task.continues], [say("page.task_view.retry_of"), task.retry_of], [say("page.task_view.late_answer_of"), task.late_of], [say("page.task_view.follows"), task.follows], [say("page.followed_by"), task.followed_by]]
      .map(([label, other]) => other ? [label, html`<a href=${`/tasks/${other}`}><code>${other}</code></a>`] : null),
  ].filter(Boolean);
  const temporal = path => `${ui}/namespaces/default/workflows${path}`;
  return html`<aside class="facts" aria-label=${say("page.task_view.facts")}>
    <dl>${facts.map(([label, value]) => html`<div key=${label}><dt>${label}</dt><dd dir="auto">${value}</dd></div>`)}</dl>
    ${ui && html`<p class="muted">${say("page.task_view.in_temporal")} <a href=${temporal(`/${id}`)} target="_blank" rel="noopener">${say("page.task_view.this_workflow")}</a>${session ? html`, <a href=${temporal(`?query=${encodeURIComponent(`ErrandSession="${session}"`)}`)} target="_blank" rel="noopener">${say("page.task_view.all_of_this_conversation")}</a>` : null}</p>`}
  </aside>`;
}

// Delegated is what stands below a task, with what each branch has come to.
function Delegated({tree}) {
  const priced = tree.some(t => t.branch.cost);
  return html`<section id="delegated"><h3>${say("page.task_view.delegated")}</h3><div class="rows-scroll"><table class="plain-table">
    <thead><tr><th>${say("page.task")}</th><th>${say("page.state")}</th><th class="num">${say("page.took")}</th><th class="num">${say("page.tokens_used")}</th>${priced && html`<th class="num">${say("page.cost")}</th>`}</tr></thead>
    <tbody>${tree.map(t => html`<tr key=${t.id} data-level=${Math.min(t.level, 4)}>
      <th scope="row" class="what">${t.level ? html`<a href=${`/tasks/${t.id}`} dir="auto">${display(t.agent)}: ${t.title}</a>` : say("page.task_view.all_of_it")}</th>
      <td>${t.level ? html`<${State} state=${t.state} />` : null}</td>
      <td class="num">${terminal(t.state) ? took(t.created, t.finished) : html`<${Elapsed} from=${t.created} />`}</td>
      <td class="num">${number(t.branch.tokens)}</td>${priced && html`<td class="num">${t.branch.cost ? money(t.branch.cost) : ""}</td>`}
    </tr>`)}</tbody>
  </table></div></section>`;
}

const ways = {turn: () => say("page.task_view.agent_waited_used_answer"), fold: () => say("page.task_view.was_reported_chat"), notification: () => say("page.task_view.was_sent_as_message"), none: () => say("page.task_view.result_kept_here_there")};

function Deliveries({task, list}) {
  const way = terminal(task.state) && task.state !== "canceled" ? ways[task.way]?.() : null;
  if (!way && !list.length) return null;
  // What is told on the page is neither attempted nor acknowledged.
  const attempted = list.some(n => n.attempts), received = list.some(n => n.receipts?.length);
  return html`<section id="delivery"><h3>${say("page.task_view.delivery")}</h3>
    ${way && html`<p>${way}</p>`}
    ${list.length > 0 && html`<div class="rows-scroll"><table class="plain-table">
      <thead><tr><th>${say("page.task_view.where")}</th><th>${say("page.state")}</th><th>${say("page.task_view.when")}</th>${attempted && html`<th class="num">${say("page.task_view.attempts")}</th>`}${received && html`<th>${say("page.task_view.receipts")}</th>`}</tr></thead>
      <tbody>${list.map(n => html`<tr key=${n.id}>
        <td dir="auto">${[n.route.channel, n.route.chat].filter(Boolean).join(", ")}</td>
        <td><${State} state=${n.state} />${n.error && html`<div class="muted">${n.error}</div>`}</td>
        <td><time datetime=${n.sent_at ?? n.created}>${moment(n.sent_at ?? n.created)}</time></td>
        ${attempted && html`<td class="num">${n.attempts}</td>`}
        ${received && html`<td>${n.receipts?.map(receipt => html`<code key=${receipt}>${receipt}</code> `)}</td>`}
      </tr>`)}</tbody>
    </table></div>`}
  </section>`;
}
