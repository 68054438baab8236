// What an agent means to do, and how far it is.

import {display, doneOf} from "../api.js";
import {html, useLayoutEffect, useRef, useState} from "../ui.js";
import {say} from "../words.js";

// How far an item is, for who sees it and for who hears it.
const marks = {done: ["✔", () => say("page.plan.done")], doing: ["▸", () => say("page.plan.at_work")], pending: ["○", () => say("page.plan.to_do")]};

// labelOf says how far a plan is; with named, whose it is.
const labelOf = (plan, named) => `${named ? say("page.plan.s_plan", {agent: display(plan.agent)}) : say("page.plan")}: ${say("page.plan.of_done", {n: doneOf(plan), all: plan.items.length})}`;

function Items({plan, label, ...rest}) {
  return html`<ol class="plan" aria-label=${label} ...${rest}>
    ${plan.items.map(({text, state}, i) => html`<li key=${i} data-state=${state}>
      <span class="mark" aria-hidden="true">${marks[state]?.[0]}</span>
      <span class="hidden">${marks[state]?.[1]()}: </span><span dir="auto">${text}</span>
    </li>`)}
  </ol>`;
}

// A plan is open while it is worked on, and behind its number of items afterwards.
export function Plan({plan, named, over}) {
  const label = labelOf(plan, named), list = html`<${Items} plan=${plan} label=${label} />`;
  return over ? html`<details><summary>${label}</summary>${list}</details>` : html`${named && html`<p class="whose">${label}</p>`}${list}`;
}

// The plan of a chat is open while an agent is at work, unless somebody has said
// otherwise. Closed, it says what is being done.
export function ChatPlan({conversation}) {
  const plan = conversation.plan.shown.value, at = useRef(), [chosen, choose] = useState(null);
  const open = chosen ?? conversation.working.value;
  useLayoutEffect(() => {
    if (open) at.current?.querySelector("[data-state=doing]")?.scrollIntoView({block: "nearest"});
  }, [plan, open]);
  if (!plan) return null;
  const agent = conversation.agent.value;
  const label = labelOf(plan, agent && agent.name !== plan.agent);
  const current = plan.items.find(item => item.state === "doing");
  return html`<details id="plan" open=${open} ref=${at}>
    <summary onClick=${event => { event.preventDefault(); choose(!open); }}>
      <span class="label">${label}</span>
      ${!open && current && html`<span class="current" dir="auto">${current.text}</span>`}
    </summary>
    <${Items} plan=${plan} label=${label} tabindex="0" />
  </details>`;
}
