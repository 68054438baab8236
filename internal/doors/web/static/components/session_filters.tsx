// What sessions to list.

import {display} from "../api";
import {me} from "../stores/account";
import {others} from "../stores/names";
import type {Sessions} from "../stores/sessions";
import {Icon} from "./icon";
import {type Choice, Select} from "./select";
import {stateName} from "./session_list";
import {say} from "../words";

const states = ["active", "suspended", "ended"];

export function SessionFilters({sessions}: {sessions: Sessions}) {
  const filters = sessions.filters.value, searching = sessions.searching;
  const choice = (name: string, all: string, options: Choice[], disabled = false) => <Select name={name} value={filters[name]} disabled={disabled} all={all} options={options} choose={value => sessions.filter(name, value)} />;
  const submit = (event: Event) => {
    event.preventDefault();
    sessions.find();
  };
  return <form id="filters" class="filter-bar" onSubmit={submit}>
    <label class="grow"><span class="hidden">{say("page.search")}</span><Icon name="search" /><input name="q" type="search" maxlength={200} placeholder={say("page.session_filters.what_was_said")} value={filters.q} onInput={event => sessions.filter("q", event.currentTarget.value)} /></label>
    {["partner", "master_admin"].includes(me.value?.role ?? "") && <label id="whose" data-set={filters.person}>{say("page.whose")}
      {choice("person", say("page.mine"), [["*", say("page.everybodys")], ...others()])}</label>}
    <label data-set={filters.agent}>{say("page.agent")} {choice("agent", say("page.any"), sessions.agents.value.map((a): Choice => [a.name, display(a.name)]), searching)}</label>
    <label data-set={filters.state}>{say("page.state")} {choice("state", say("page.any"), states.map((s): Choice => [s, stateName(s)]), searching)}</label>
    <label data-set={filters.channel}>{say("page.session_filters.channel")} {choice("channel", say("page.any"), [["web", "web"]], searching)}</label>
    {searching && <p class="muted wide">{say("page.session_filters.search_looks_through_all")}</p>}
  </form>;
}
