// What an approval is about: the tool, and all that it will be given. What cannot be seen,
// or turns the order of letters around, is written out: a yes is for what stands there.

import type * as API from "../api_types";
import {say} from "../words";

const unseen = /[\p{Cf}\p{Variation_Selector}\p{Zl}\p{Zp}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu;

export const plainly = (text: string) => text.replace(unseen, one => [...Array(one.length).keys()].map(i => `\\u${one.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""));

// chosen is what an option of a question is answered with where all of the arguments are
// shown: of an approval, with what it is for.
export const chosen = (approval: API.Approval | undefined, option: string) => approval ? {text: option, hash: approval.hash} : {text: option};

// namedValues are the arguments one by one. A call that it could not show in full is only shown
// as it is: one with a name twice, for example, of which a parser keeps the last value.
function namedValues(call: string): [string, string][] | null {
  const compact = call.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
  let value: unknown;
  try {
    value = JSON.parse(call);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value) || JSON.stringify(value) !== compact) return null;
  return Object.entries(value).map(([name, one]) => [name, typeof one === "string" ? one : JSON.stringify(one)]);
}

export function Approval({approval}: {approval?: API.Approval}) {
  if (!approval) return null;
  const values = namedValues(approval.arguments);
  return <div class="approval">
    <dl class={values ? "arguments" : ""}>
      <div><dt>{say("page.approval.tool")}</dt><dd><code>{plainly(approval.tool)}</code></dd></div>
      {values?.map(([name, value]) => <div key={name}><dt dir="auto">{plainly(name)}</dt><dd dir="auto">{plainly(value)}</dd></div>)}
    </dl>
    {values ? <ExactCall approval={approval} /> : <Call approval={approval} />}
  </div>;
}

export function ExactCall({approval}: {approval: API.Approval}) {
  return <details class="exact"><summary>{say("page.approval.show_exact_call")}</summary><Call approval={approval} /></details>;
}

function Call({approval}: {approval: API.Approval}) {
  return <pre class="arguments" dir="ltr" tabindex={0} aria-label={say("page.approval.what_will_be_given", {tool: approval.tool})}>{plainly(approval.arguments)}</pre>;
}
