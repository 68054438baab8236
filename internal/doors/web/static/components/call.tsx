// A tool call as one line: what the agent did and the outcome. Opened, the line shows the arguments
// and the result.

import type * as API from "../api_types";
import {elapsed} from "../api";
import {deedOf} from "../deeds";
import {number} from "../numbers";
import {type ChatFile, previewed} from "../stores/work";
import {type ComponentChildren, useState} from "../ui";
import {say} from "../words";
import {amount} from "./file";
import {Icon} from "./icon";

// One call, or the first of several calls of one tool with their number.
type Known = Pick<API.TurnCall, "tool" | "about"> & Partial<API.TurnCall> & {calls?: number};

const writes = ["write_file", "edit_file", "undo_file"];

// Call is an item of a list. files are the files of the chat, for links.
export function Call({call, files = []}: {call: Known; files?: ChatFile[]}) {
  const [open, setOpen] = useState(false), {tool, about, calls = 1} = call;
  const [icon, deed] = deedOf(tool), file = about && /file|artifact/.test(tool) ? files.find(f => f.name === about || f.name.endsWith(`/${about}`)) : undefined;
  return <li class={call.failed ? "bad" : undefined}>
    <Icon name={icon} />
    <span class="what" dir="auto">
      {call.arguments === undefined ? <b>{deed}</b> : <button class="toggle" type="button" aria-expanded={open} onClick={() => setOpen(!open)}>{deed}</button>} <Subject about={about} file={file} />
      {calls > 1 && ` (${calls}×)`}
    </span>
    <span class="out" dir="auto">{call.begun && outcome(call, file)}</span>
    {open && <Details call={call} />}
  </li>;
}

export function Subject({about, file}: {about?: string; file?: ChatFile}) {
  if (file) return <a href={file.href} onClick={event => { event.preventDefault(); previewed.value = file; }}>{about}</a>;
  return about && /^https?:\/\//.test(about) ? <Outside address={about}>{about.replace(/^https?:\/\/(www\.)?|\/$/g, "")}</Outside> : <>{about}</>;
}

// Outside is a link to a web page. The browser does not tell that page where the reader comes from.
export const Outside = ({address, children}: {address: string; children: ComponentChildren}) => <a href={address} target="_blank" rel="noopener noreferrer">{children}</a>;

function outcome({tool, result = "", failed, sources = [], words, begun = "", ended}: Known, file?: ChatFile) {
  if (!ended) return say("page.call.no_result_yet");
  if (failed) return result.replace(/^error: (\w+:\/\/\S+: )?/, "").split("\n")[0];
  if (tool === "web_search") return say(sources.length === 1 ? "page.call.one_result" : "page.call.results", {n: sources.length});
  if (words) return say("page.call.words", {n: number(words)});
  return writes.includes(tool) && file ? amount(file.size) : elapsed(Date.parse(begun), Date.parse(ended));
}

export function Details({call: {tool, arguments: given = "", result, cut}}: {call: Known}) {
  return <div class="details">
    <p>{say("page.call.input")} (<code>{tool}</code>)</p>
    <pre tabindex={0} dir="auto">{indented(given)}</pre>
    {result && <><p>{say("page.call.result")}</p><pre tabindex={0} dir="auto">{result}</pre></>}
    {cut && <p>{say("page.call.only_the_beginning")}</p>}
  </div>;
}

// indented returns JSON with indentation, and other text unchanged.
function indented(text: string) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
