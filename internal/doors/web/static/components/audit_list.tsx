// What was done, a line for each.

import type * as API from "../api_types";
import {moment} from "../api";
import {roleName} from "../stores/account";
import type {Audit} from "../stores/audit";
import {nameOf} from "../stores/names";
import {say, type Values, type Words} from "../words";
import {Act} from "./act";

// What a deed is in words: {to} is what it was done to, {detail} and {whose} say more.
const words: Words<[Values]> = {
  "people.role": v => say("page.audit_list.made_a", v),
  "people.change": v => say("page.audit_list.changed_the_of", v),
  "people.remove": v => say("page.audit_list.removed", v),
  "identities.add": v => say("page.audit_list.said_that_is", v),
  "identities.remove": v => say("page.audit_list.said_that_is_not", v),
  "tokens.make": v => say("page.audit_list.made_the_token_for", v),
  "tokens.revoke": v => say("page.audit_list.revoked_the_token_of", v),
  "webhooks.secret": v => say("page.audit_list.drew_webhook_secret", v),
  "pairings.approve": v => say("page.audit_list.approved_by_the_code", v),
  "pairings.deny": v => say("page.audit_list.denied_the_code", v),
  "questions.answer": v => say("page.audit_list.answered_the_question", v),
  "questions.decline": v => say("page.audit_list.declined_answer_question", v),
  "approvals.approve": v => say("page.audit_list.approved", v),
  "approvals.decline": v => say("page.audit_list.declined", v),
  "approvals.withdraw": v => say("page.audit_list.withdrew_open_approvals_session", v),
  "tasks.cancel": v => say("page.audit_list.canceled_the_task_of", v),
  "sessions.stop": v => say("page.audit_list.stopped_turn_session", v),
  "sessions.delete": v => say("page.audit_list.deleted_the_session_of", v),
  "notes.forget": v => say("page.audit_list.deleted_note_about", v),
  "deliveries.retry": v => say("page.audit_list.had_delivery_tried_again", v),
  "deliveries.dismiss": v => say("page.audit_list.dismissed_the_delivery", v),
  "installation.pause": v => say("page.audit_list.paused_the_installation", v),
  "installation.resume": v => say("page.audit_list.resumed_the_installation", v),
  "installation.restore": v => say("page.audit_list.restored_the_installation", v),
};

// The fields of a person that people change.
const fields: Words = {name: () => say("page.audit_list.name"), language: () => say("page.audit_list.language"), time_zone: () => say("page.audit_list.time_zone")};

const doors: Words = {page: () => say("page.audit_list.on_the_page"), cli: () => say("page.audit_list.by_the_command_line"), api: () => say("page.audit_list.by_the_api"), mcp: () => say("page.audit_list.over_mcp"),
  a2a: () => say("page.audit_list.over_a2a"), openai: () => say("page.audit_list.over_the_openai_api"), agent: () => say("page.audit_list.by_a_tool")};

export function AuditList({audit}: {audit: Audit}) {
  const list = audit.list.value;
  if (!list) return null;
  if (!list.length) return <p id="audit" class="muted">{say("page.nothing_was_found")}</p>;
  return (
    <>
      <ul id="audit" class="plain">{list.map(e => <li class="row" key={e.id}>
        <span>{e.name || e.person} {told(e)}</span>
        <span class="muted">{[moment(e.time), e.door && (doors[e.door]?.() ?? say("page.on", {channel: e.door})), e.via && say("page.audit_list.with", {name: e.via_name || e.via})].filter(Boolean).join(", ")}</span>
      </li>)}</ul>
      {audit.more.value && <Act label={say("page.older")} run={() => audit.older()} />}
    </>
  );
}

function told(e: API.AuditEntry) {
  const to = e.kind === "person" ? nameOf(e.subject) : e.subject;
  const whose = e.whose ? nameOf(e.whose) : say("page.audit_list.several_people");
  return words[e.deed]?.({to, detail: detailOf(e), whose}) ?? `${e.deed} ${to}`;
}

function detailOf({deed, detail = ""}: API.AuditEntry) {
  if (deed === "people.role") return roleName(detail);
  return deed === "people.change" ? fields[detail]?.() : detail.replaceAll("_", " ");
}
