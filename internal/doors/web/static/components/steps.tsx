// The steps and sources of an answer: tool calls, tasks for other agents, and web pages. The page
// requests the calls when the list opens.

import type * as API from "../api_types";
import {ask, display, elapsed, terminal} from "../api";
import {may} from "../stores/account";
import {announce} from "../stores/announcer";
import type {Conversation, Entry} from "../stores/conversation";
import {workOf} from "../stores/work";
import {useEffect, useState} from "../ui";
import {language, say} from "../words";
import {Call, Outside} from "./call";
import {Icon} from "./icon";
import {sourcesOf} from "./steps_button";

interface StepsProps {
  entry: Entry;
  asked: string[]; // ids of the tasks that the answer delegated
  conversation: Conversation;
}

export function Steps({entry: {tools: used = [], session = "", turnNumber}, asked, conversation}: StepsProps) {
  const [calls, setCalls] = useState<API.TurnCall[] | null>(null), [wrong, setWrong] = useState(""), files = workOf(conversation).files.value;
  const allowed = may("GET /api/sessions/{id}/calls"), sources = sourcesOf(used);
  useEffect(() => {
    if (!allowed || !used.length) return;
    workOf(conversation).changed();
    ask<API.TurnCall[]>(`/api/sessions/${encodeURIComponent(session)}/calls?turn=${turnNumber}`).then(setCalls, error => {
      setWrong(error.message);
      announce(error.message);
    });
  }, []);
  const tasks = asked.flatMap(id => conversation.tasks.get(id).value ?? []);
  const rows = [
    ...(calls ?? []).map(call => ({at: call.begun, row: <Call key={`${call.step}-${call.index}`} call={call} files={files} />})),
    ...tasks.map(task => ({at: task.created, row: <Asked key={task.id} task={task} />})),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return <div class="steps" lang={language}>
    {wrong && <p class="said">{wrong}</p>}
    <ol>
      {rows.map(({row}) => row)}
      {!allowed && used.map(use => <Call key={use.tool} call={use} />)}
      {sources.length > 0 && <li><Icon name="link" /><span class="what"><b>{say("page.steps.sources")}</b> {sources.map(({title, address}, i) => <span key={address} class="source">{i + 1} <Outside address={address}>{title}</Outside></span>)}</span></li>}
    </ol>
  </div>;
}

function Asked({task}: {task: API.Task}) {
  const over = terminal(task.state), failed = ["failed", "rejected"].includes(task.state);
  return <li class={failed ? "bad" : undefined}>
    <Icon name="user" />
    <span class="what" dir="auto"><b>{say("page.steps.asked", {agent: display(task.agent)})}</b> <a href={`#${task.id}`}>{task.title}</a></span>
    <span class="out">{say(`state.${task.state}`)}{over && task.finished ? `, ${elapsed(Date.parse(task.created), Date.parse(task.finished))}` : ""}</span>
  </li>;
}
