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
    <label class="wide">${say("page.search")} <input name="q" type="search" maxlength="200" placeholder=${say("page.session_filters.what_was_said")} value=${filters.q} onInput=${event => sessions.filter("q", event.target.value)} /></label>
    ${["partner", "master_admin"].includes(me.value?.role) && html`<label id="whose">${say("page.whose")}
      ${choice("person", say("page.mine"), [["*", say("page.everybodys")], ...others()])}</label>`}
    <label>${say("page.agent")} ${choice("agent", say("page.any"), sessions.agents.value.map(a => [a.name, display(a.name)]), searching)}</label>
    <label>${say("page.state")} ${choice("state", say("page.any"), states.map(s => [s, stateName(s)]), searching)}</label>
    <label>${say("page.session_filters.channel")} ${choice("channel", say("page.any"), [["web", "web"]], searching)}</label>
    ${searching && html`<p class="muted wide">${say("page.session_filters.search_looks_through_all")}</p>`}
  </form>`;
}
