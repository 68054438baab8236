// What tasks to show: the states with how many there are of each, and the rest.

import {display} from "../api";
import {me} from "../stores/account";
import type {Board} from "../stores/board";
import {money, number} from "../numbers";
import {others} from "../stores/names";
import {useState} from "../ui";
import {say} from "../words";
import {Icon} from "./icon";
import {type Choice, Select} from "./select";
import {stateWord} from "./state_word";

const states = ["open", "submitted", "working", "input_required", "completed", "failed", "canceled", "rejected"];

export function TaskFilters({board}: {board: Board}) {
  const filters = board.filters.value, sum = board.sum();
  // On a phone they would push the tasks off the screen.
  const [more, setMore] = useState(["agent", "chat", "person", "since", "until"].some(name => filters[name]));
  const choice = (name: string, all: string, options: Choice[]) => <Select name={name} value={filters[name]} all={all} options={options} choose={value => board.filter(name, value)} />;
  const date = (name: string) => <input name={name} type="date" value={filters[name]} onChange={event => board.filter(name, event.currentTarget.value)} />;
  return <form id="filters" role="search" aria-label={say("page.task_filters.which_tasks")} onSubmit={event => event.preventDefault()}>
    <div class="filter-bar">
      <label class="grow"><span class="hidden">{say("page.search")}</span><Icon name="search" /><input name="q" type="search" maxlength={200} placeholder={say("page.task_filters.request_result_or_id")} value={filters.q}
        onInput={event => board.filter("q", event.currentTarget.value)} /></label>
      <button class="more small" type="button" aria-expanded={more ? "true" : "false"} onClick={() => setMore(!more)}>{say("page.filters")}</button>
      <label data-set={filters.agent}>{say("page.agent")} {choice("agent", say("page.any"), board.agents.value.map((a): Choice => [a.name, display(a.name)]))}</label>
      <label data-set={filters.chat}>{say("page.chat")} {choice("chat", say("page.any"), board.chatChoices())}</label>
      {["partner", "master_admin"].includes(me.value?.role ?? "") && <label data-set={filters.person}>{say("page.whose")} {choice("person", say("page.mine"), [["*", say("page.everybodys")], ...others()])}</label>}
      <label data-set={filters.since}>{say("page.since")} {date("since")}</label>
      {(filters.since || filters.until) && <label data-set={filters.until}>{say("page.task_filters.until")} {date("until")}</label>}
      <span class="sum">{say(sum.tasks === 1 ? "page.task_filters.one_task" : "page.task_view.tasks", {n: number(sum.tasks)})}{sum.cost ? `, ${money(sum.cost)}` : ""}</span>
    </div>
  </form>;
}

// TaskStates is the column beside the list: the states, with how many there are of each.
export function TaskStates({board}: {board: Board}) {
  const filters = board.filters.value, counts = board.counts.value;
  const shown = states.filter(state => state === "open" || filters.state === state || counts?.[state]);
  return (
    <fieldset class="states">
      <legend>{say("page.state")}</legend>
      {["", ...shown].map(state => <label key={state} data-state={state}>
        <input type="radio" name="state" value={state} checked={filters.state === state} onChange={() => board.filter("state", state)} />
        <span class="first-up">{state ? stateWord(state) : say("page.task_filters.all")}</span> {counts && <span class="n">{number(counts[state || "total"])}</span>}
      </label>)}
    </fieldset>
  );
}
