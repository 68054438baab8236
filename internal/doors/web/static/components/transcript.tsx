// What was said in a session, with what errand itself said between, by time.

import type * as API from "../api_types";
import {display, moment} from "../api";
import type {ComponentChildren} from "../ui";
import {say} from "../words";
import {Initials} from "./initials";
import {Text} from "./text";

// A Part is something that was said, or a notice of errand.
type Part = API.Message | API.Notice;

const isNotice = (m: Part): m is API.Notice => "event" in m;

// found is the place of the message in which words were found, if they were.
export function Transcript({messages, notices, artifacts, found}: {messages: API.Message[]; notices: API.Notice[]; artifacts: API.Artifact[]; found?: string}) {
  const said = [...messages, ...notices].map((m, i): [Part, number] => [m, i])
    .sort(([a, i], [b, j]) => Date.parse(a.created) - Date.parse(b.created) || i - j);
  const names = new Map(messages.flatMap(m => (m.calls ?? []).map((c, i): [string, string] => [placeOf(m, i + 1), c.name])));
  return <div class="transcript">{said.map(([m, i]) =>
    <Said key={i} message={m} tool={isNotice(m) ? undefined : names.get(placeOf(m))} artifacts={artifacts} found={!isNotice(m) && found === placeOf(m)} />)}</div>;
}

// placeOf is where a message stands in its session, and a hit in it. A call stands where its
// result does.
export const placeOf = (m: {turn: number; step: number; index?: number}, index = m.index ?? 0) => `${m.turn}.${m.step}.${index}`;

function Said({message: m, tool, artifacts, found}: {message: Part; tool?: string; artifacts: API.Artifact[]; found: boolean}) {
  if (isNotice(m)) return <div class="message notice" dir="auto" title={moment(m.created)}>{m.text}</div>;
  if (m.speaker === "tool") return <Folded summary={say("page.transcript.result_of", {tool: tool || say("page.transcript.a_tool")})} text={linked(m.text ?? "", artifacts)} found={found} />;
  const calls = (m.calls ?? []).map((c, i) => <Folded key={i} summary={say("page.transcript.called", {tool: c.name})} text={c.arguments} />);
  if (!m.text) return calls.length ? <div>{calls}</div> : null;
  return <div class={found ? "said-by found" : "said-by"}>
    {m.replaced && <p class="note">{say("page.transcript.replaced")}</p>}
    {m.speaker === "user"
      ? <div class="message mine" title={moment(m.created)}><div class="bubble" dir="auto">{linked(m.text, artifacts)}</div></div>
      : <div class="message reply" title={moment(m.created)}><span class="speaker">{m.agent && <Initials name={m.agent} large />}{display(m.agent)}</span><Text text={m.text} /></div>}
    {calls}
  </div>;
}

function Folded({summary, text, found}: {summary: string; text: ComponentChildren; found?: boolean}) {
  return <details class={found ? "tool found" : "tool"} open={found}><summary>{summary}</summary><pre tabindex={0}>{text}</pre></details>;
}

// linked is what somebody wrote or a tool returned, with links to the files that came with it.
const linked = (text: string, artifacts: API.Artifact[]) => text.split(/\b(a-[2-9a-z]{8})\b/).map(piece => artifacts.some(a => a.id === piece)
  ? <a href={`/api/artifacts/${piece}`} download="">{piece}</a> : piece);
