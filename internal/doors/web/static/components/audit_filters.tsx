// What of the audit log to show.

import type {Audit} from "../stores/audit";
import {people} from "../stores/names";
import {say} from "../words";
import {type Choice, Select} from "./select";

const kinds: [string, () => string][] = [["people", () => say("page.audit_filters.people")], ["identities", () => say("page.audit_filters.identities")], ["tokens", () => say("page.audit_filters.tokens")], ["webhooks", () => say("page.audit_filters.webhook_secrets")], ["pairings", () => say("page.audit_filters.requests_for_access")],
  ["questions", () => say("page.audit_filters.answers")], ["approvals", () => say("page.audit_filters.approvals")], ["tasks", () => say("page.audit_filters.canceled_tasks")], ["sessions", () => say("page.audit_filters.sessions")], ["notes", () => say("page.audit_filters.notes")], ["deliveries", () => say("page.audit_filters.deliveries")],
  ["installation", () => say("page.audit_filters.the_installation")]];

export function AuditFilters({audit}: {audit: Audit}) {
  const filters = audit.filters.value;
  const choice = (name: string, all: string, options: Choice[]) => <Select name={name} value={filters[name]} all={all} options={options} choose={value => audit.filter(name, value)} />;
  return <form id="filters" class="filter-bar" role="search" aria-label={say("page.filters")} onSubmit={event => event.preventDefault()}>
    <label data-set={filters.person}>{say("page.audit_filters.who")} {choice("person", say("page.audit_filters.anybody"), people.value.map((p): Choice => [p.id, p.name || p.id]))}</label>
    <label data-set={filters.deed}>{say("page.audit_filters.what_about")} {choice("deed", say("page.audit_filters.anything"), kinds.map(([kind, name]): Choice => [kind, name()]))}</label>
    <label data-set={filters.since}>{say("page.since")} <input name="since" type="date" value={filters.since} onChange={event => audit.filter("since", event.currentTarget.value)} /></label>
  </form>;
}
