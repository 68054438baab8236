// What an agent means to do, and how far it is.

import type * as API from "../api_types";
import {display, doneOf} from "../api";
import type {Conversation} from "../stores/conversation";
import {type ComponentChildren, useLayoutEffect, useRef, useState} from "../ui";
import {say} from "../words";
import {Icon} from "./icon";

// How far an item is, for who sees it and for who hears it.
const marks: Partial<Record<string, [ComponentChildren, () => string]>> = {done: [<Icon name="check" />, () => say("page.plan.done")], doing: [<i class="spin"></i>, () => say("page.plan.at_work")], pending: [<Icon name="circle" />, () => say("page.plan.to_do")]};

// labelOf says how far a plan is; with named, whose it is.
const labelOf = (plan: API.Plan, named?: boolean) => `${named ? say("page.plan.s_plan", {agent: display(plan.agent)}) : say("page.plan")}: ${say("page.plan.of_done", {n: doneOf(plan), all: plan.items.length})}`;

function Items({plan, label, over, helpers, ...rest}: {plan: API.Plan; label: string; over?: boolean; helpers?: ComponentChildren; tabindex?: number}) {
  return <ol class="plan" aria-label={label} {...rest}>
    {plan.items.map(({text, state: written}, i) => {
      const state = over && written === "doing" ? "pending" : written;
      return <li key={i} data-state={state}>
        <span class="mark" aria-hidden="true">{marks[state]?.[0]}</span>
        <span class="hidden">{marks[state]?.[1]()}: </span><span dir="auto">{text}</span>
        {state === "doing" && helpers}
      </li>;
    })}
  </ol>;
}

// A plan is unfolded while it is in progress. Afterwards it is folded to the number of its items, except
// with open, and an item that was at work is shown as not done.
// helpers names the other agents that work on the current item.
export function Plan({plan, named, over, open, helpers}: {plan: API.Plan; named?: boolean; over?: boolean; open?: boolean; helpers?: ComponentChildren}) {
  const label = labelOf(plan, named), list = <Items plan={plan} label={label} over={over} helpers={helpers} />;
  return over && !open ? <details><summary>{label}</summary>{list}</details> : <>{named && <p class="whose">{label}</p>}{list}</>;
}

// The plan of a chat is open while an agent is at work, unless somebody has said
// otherwise. Closed, it says what is being done.
export function ChatPlan({conversation}: {conversation: Conversation}) {
  const plan = conversation.plan.shown.value, at = useRef<HTMLDetailsElement>(null!), [chosen, choose] = useState<boolean | null>(null);
  const open = chosen ?? conversation.working.value;
  useLayoutEffect(() => {
    if (open) at.current?.querySelector("[data-state=doing]")?.scrollIntoView({block: "nearest"});
  }, [plan, open]);
  if (!plan) return null;
  const agent = conversation.agent.value;
  const label = labelOf(plan, agent !== undefined && agent.name !== plan.agent);
  const current = plan.items.find(item => item.state === "doing");
  return <details id="plan" open={open} ref={at}>
    <summary onClick={event => { event.preventDefault(); choose(!open); }}>
      <span class="label">{label}</span>
      {!open && current && <span class="current" dir="auto">{current.text}</span>}
    </summary>
    <Items plan={plan} label={label} tabindex={0} />
  </details>;
}
