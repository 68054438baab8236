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
  if (!task) return html`<main class="page dashboard">${page.missing.value && html`<h2>${say("This task cannot be shown")}</h2><p>${page.missing.value}</p><p><a href="/tasks">${say("All tasks")}</a></p>`}</main>`;
  const over = terminal(task.state), outcome = task.result || task.error;
  const whose = me.value?.role === "master_admin" && task.origin.person !== me.value.id ? "*" : "";
  const open = details.questions.filter(q => q.state === "open"), closed = details.questions.filter(q => q.state !== "open");
  return html`<main class="page dashboard one-task" data-task=${task.id}>
    <nav class="crumbs" aria-label=${say("Where this task stands")}><a href="/tasks">${say("Tasks")}</a>
      ${details.above.map(t => html`<span key=${t.id}><span aria-hidden="true"> › </span><a href=${`/tasks/${t.id}`} dir="auto">${t.title}</a></span>`)}</nav>
    <header class="task-head" ref=${head} tabindex="-1">
      <h2 dir="auto">${display(task.agent)}: ${task.title}</h2>
      <${State} state=${task.state} />
      <${TaskActions} task=${task} whose=${whose} changed=${now => page.changed(now)} />
    </header>
    <div class="task-columns">
      <div class="task-main">
        ${open.map(q => html`<${AskedHere} key=${q.id} question=${q} answer=${given => page.answer(q.id, given)} called=${called} />`)}
        ${task.decision ? html`<section><h3>${say("Decision")}</h3><div class="task"><${Decision} task=${task} /></div></section>` : null}
        ${!task.decision && outcome ? html`<section id="result"><h3>${task.result ? say("Result") : task.state === "canceled" ? say("Reason") : say("What went wrong")}</h3><div class="result boxed"><${Text} text=${outcome} /></div></section>` : null}
        ${task.trouble && html`<p class="trouble">${task.trouble}</p>`}
        <section id="request"><h3>${say("What was asked")}</h3><div class="result boxed"><${Text} text=${task.task} /></div>
          ${task.briefing && html`<details><summary>${say("What went with it")}</summary><ul class="plain">${task.briefing.messages?.map((m, i) => html`<li key=${i}><b dir="auto">${m.who}</b> <span dir="auto">${m.text}</span></li>`)}</ul></details>`}</section>
        ${task.plans?.length > 0 && html`<section><h3>${say("Plan")}</h3>${task.plans.map(plan => html`<${Plan} key=${plan.agent} plan=${plan} named=${task.plans.length > 1} />`)}</section>`}
        <section id="timeline"><h3>${say("Timeline")}</h3><${Timeline} line=${line} /><${Steps} line=${line} id=${task.id} /></section>
        ${details.tree.length > 1 && html`<${Delegated} tree=${details.tree} />`}
        ${closed.length > 0 && html`<section id="asked"><h3>${say("Questions and answers")}</h3><ul class="plain">${closed.map(q => html`<li key=${q.id}>
          <div class="asked-text"><span class="muted">${display(q.agent)}</span> <${Text} text=${q.text} /></div><${QuestionEnd} question=${q} called=${called} /></li>`)}</ul></section>`}
        ${details.files.length > 0 && html`<section id="files"><h3>${say("Files")}</h3>${details.files.map(f => html`<${FileLink} key=${f.path} href=${`/api/files/${task.id}/content?path=${encodeURIComponent(f.path)}`} name=${f.path} size=${f.size} note=${display(f.agent)} />`)}</section>`}
        <${Deliveries} task=${task} list=${details.deliveries} />
        ${may("POST /api/tasks/{id}/steer") && html`<section class="task"><h3>${over ? say("Go on with it") : say("Add to it")}</h3><${Steer} task=${task} over=${over} tasks=${page} /></section>`}
      </div>
      <${Facts} task=${task} branch=${details.tree[0].branch} over=${over} page=${page} />
    </div>
  </main>`;
}

function Facts({task, branch, over, page}) {
  const id = task.id, ui = about.value.web_ui, session = task.origin.session_id;
  const facts = [
    [say("Id"), html`<code>${id}</code>`],
    [say("Agent"), display(task.agent)],
    [say("From"), task.from ? display(task.from) : called(task.origin.person)],
    [say("Chat"), html`<${ChatLink} task=${task} />`],
    [say("Began"), html`<time datetime=${task.created}>${moment(task.created)}</time>`],
    over ? [say("Ended"), html`<time datetime=${task.finished}>${moment(task.finished)}</time>`] : null,
    [say("Took"), over ? took(task.created, task.finished) : html`<${Elapsed} from=${task.created} />`],
    [say("Model calls"), number(task.model_calls)],
    [say("Tokens used"), html`${number(task.tokens)}${task.cached_tokens ? html` <span class="muted">${say("{n} from cache", {n: number(task.cached_tokens)})}</span>` : null}`],
    [say("Cost"), task.cost ? money(task.cost) : html`<span class="muted">${say("none known")}</span>`],
    branch.tasks > 1 ? [say("With all below"), html`${say("{n} tasks", {n: number(branch.tasks)})}, ${say("{n} tokens", {n: number(branch.tokens)})}${branch.cost ? html`, ${money(branch.cost)}` : null}`] : null,
    task.added ? [say("Added"), say(task.added === 1 ? "1 message" : "{n} messages", {n: task.added})] : null,
    ...[[say("Goes on with"), task.continues], [say("Retry of"), task.retry_of], [say("Late answer of"), task.late_of], [say("Follows"), task.follows], [say("Followed by"), task.followed_by]]
      .map(([label, other]) => other ? [label, html`<a href=${`/tasks/${other}`}><code>${other}</code></a>`] : null),
  ].filter(Boolean);
  const temporal = path => `${ui}/namespaces/default/workflows${path}`;
  return html`<aside class="facts" aria-label=${say("Facts")}>
    <dl>${facts.map(([label, value]) => html`<div key=${label}><dt>${label}</dt><dd dir="auto">${value}</dd></div>`)}</dl>
    ${ui && html`<p class="muted">${say("In Temporal:")} <a href=${temporal(`/${id}`)} target="_blank" rel="noopener">${say("this workflow")}</a>${session ? html`, <a href=${temporal(`?query=${encodeURIComponent(`ErrandSession="${session}"`)}`)} target="_blank" rel="noopener">${say("all of this conversation")}</a>` : null}</p>`}
  </aside>`;
}

// Delegated is what stands below a task, with what each branch has come to.
function Delegated({tree}) {
  const priced = tree.some(t => t.branch.cost);
  return html`<section id="delegated"><h3>${say("Delegated")}</h3><div class="rows-scroll"><table class="plain-table">
    <thead><tr><th>${say("Task")}</th><th>${say("State")}</th><th class="num">${say("Took")}</th><th class="num">${say("Tokens used")}</th>${priced && html`<th class="num">${say("Cost")}</th>`}</tr></thead>
    <tbody>${tree.map(t => html`<tr key=${t.id} data-level=${Math.min(t.level, 4)}>
      <th scope="row" class="what">${t.level ? html`<a href=${`/tasks/${t.id}`} dir="auto">${display(t.agent)}: ${t.title}</a>` : say("All of it")}</th>
      <td>${t.level ? html`<${State} state=${t.state} />` : null}</td>
      <td class="num">${terminal(t.state) ? took(t.created, t.finished) : html`<${Elapsed} from=${t.created} />`}</td>
      <td class="num">${number(t.branch.tokens)}</td>${priced && html`<td class="num">${t.branch.cost ? money(t.branch.cost) : ""}</td>`}
    </tr>`)}</tbody>
  </table></div></section>`;
}

const ways = {turn: () => say("An agent waited for it and used it in its answer."), fold: () => say("It was reported in the chat."), notification: () => say("It was sent as a message."), none: () => say("The result is kept here: there was no chat to report it in.")};

function Deliveries({task, list}) {
  const way = terminal(task.state) && task.state !== "canceled" ? ways[task.way]?.() : null;
  if (!way && !list.length) return null;
  // What is told on the page is neither attempted nor acknowledged.
  const attempted = list.some(n => n.attempts), received = list.some(n => n.receipts?.length);
  return html`<section id="delivery"><h3>${say("Delivery")}</h3>
    ${way && html`<p>${way}</p>`}
    ${list.length > 0 && html`<div class="rows-scroll"><table class="plain-table">
      <thead><tr><th>${say("Where")}</th><th>${say("State")}</th><th>${say("When")}</th>${attempted && html`<th class="num">${say("Attempts")}</th>`}${received && html`<th>${say("Receipts")}</th>`}</tr></thead>
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
