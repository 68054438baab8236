// What of the audit log to show.

import {people} from "../stores/names.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {Select} from "./select.js";

const kinds = [["people", () => say("people")], ["identities", () => say("identities")], ["tokens", () => say("tokens")], ["webhooks", () => say("webhook secrets")], ["pairings", () => say("requests for access")],
  ["questions", () => say("answers")], ["approvals", () => say("approvals")], ["tasks", () => say("canceled tasks")], ["sessions", () => say("sessions")], ["notes", () => say("notes")], ["deliveries", () => say("deliveries")],
  ["installation", () => say("the installation")]];

export function AuditFilters({audit}) {
  const filters = audit.filters.value;
  const choice = (name, all, options) => html`<${Select} name=${name} value=${filters[name]} all=${all} options=${options} choose=${value => audit.filter(name, value)} />`;
  return html`<form id="filters" class="filters" role="search" aria-label=${say("Filters")} onSubmit=${event => event.preventDefault()}>
    <label>${say("Who")} ${choice("person", say("anybody"), people.value.map(p => [p.id, p.name || p.id]))}</label>
    <label>${say("What about")} ${choice("deed", say("anything"), kinds.map(([kind, name]) => [kind, name()]))}</label>
    <label>${say("Since")} <input name="since" type="date" value=${filters.since} onChange=${event => audit.filter("since", event.target.value)} /></label>
  </form>`;
}
