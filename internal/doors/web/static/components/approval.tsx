// What an approval is about: the tool, and all that it will be given. What cannot be seen,
// or turns the order of letters around, is written out: a yes is for what stands there.

import type * as API from "../api_types";
import {say, sayWith} from "../words";

const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]/g;

export const plainly = (text: string) => text.replace(unseen, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

// chosen is what an option of a question is answered with where all of the arguments are
// shown: of an approval, with what it is for.
export const chosen = (approval: API.Approval | undefined, option: string) => approval ? {text: option, hash: approval.hash} : {text: option};

export function Approval({approval}: {approval?: API.Approval}) {
  if (!approval) return null;
  return <div class="approval"><p>{sayWith("page.approval.will_be_given", {tool: <code>{plainly(approval.tool)}</code>})}</p>
    <pre class="arguments" dir="ltr" tabindex={0} aria-label={say("page.approval.what_will_be_given", {tool: approval.tool})}>{plainly(approval.arguments)}</pre></div>;
}
