// What sessions to list.

import {display} from "../api.js";
import {me} from "../stores/account.js";
import {others} from "../stores/names.js";
import {html} from "../ui.js";
import {Select} from "./select.js";
import {stateName} from "./session_list.js";
import {say} from "../words.js";

const states = ["active", "suspended", "ended"];

export function SessionFilters({sessions}) {
  const filters = sessions.filters.value, searching = sessions.searching;
  const choice = (name, all, options, disabled) => html`<${Select} name=${name} value=${filters[name]} disabled=${disabled} all=${all} options=${options} choose=${value => sessions.filter(name, value)} />`;
  const submit = event => {
    event.preventDefault();
    sessions.find();
  };
  return html`<form id="filters" class="filters" onSubmit=${submit}>
    <label class="wide">${say("Search")} <input name="q" type="search" maxlength="200" placeholder=${say("what was said")} value=${filters.q} onInput=${event => sessions.filter("q", event.target.value)} /></label>
    ${["partner", "master_admin"].includes(me.value?.role) && html`<label id="whose">${say("Whose")}
      ${choice("person", say("mine"), [["*", say("everybody’s")], ...others()])}</label>`}
    <label>${say("Agent")} ${choice("agent", say("any"), sessions.agents.value.map(a => [a.name, display(a.name)]), searching)}</label>
    <label>${say("State")} ${choice("state", say("any"), states.map(s => [s, stateName(s)]), searching)}</label>
    <label>${say("Channel")} ${choice("channel", say("any"), [["web", "web"]], searching)}</label>
    ${searching && html`<p class="muted wide">${say("A search looks through all agents, states and channels.")}</p>`}
  </form>`;
}
