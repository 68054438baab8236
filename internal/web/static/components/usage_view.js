// What was used: in all, by day, and by what it was for. Each chart stands beside a table
// with the same numbers.

import {display} from "../api.js";
import {me} from "../stores/account.js";
import {money, number, short} from "../numbers.js";
import {called, others} from "../stores/names.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {Columns, dayOf} from "./columns.js";
import {Select} from "./select.js";

const tokens = row => row.input_tokens + row.output_tokens;

const measures = {cost: row => row.cost, tokens, calls: row => row.calls};
const shown = {cost: money, tokens: short, calls: number};
const names = {cost: () => say("Cost"), tokens: () => say("Tokens used"), calls: () => say("Model calls")};

export function UsageView({usage}) {
  const read = usage.read.value, {days, person} = usage.filters.value;
  const select = (name, value, options) => html`<${Select} name=${name} value=${value} options=${options} choose=${value => usage.filter(name, value)} />`;
  return html`<main class="page dashboard" id="usage">
    <h2>${say("Usage")}</h2>
    <form class="filters" aria-label=${say("What to count")} onSubmit=${event => event.preventDefault()}>
      <label>${say("Days")} ${select("days", days, ["1", "7", "30", "90", "365"].map(n => [n, n === "1" ? say("today") : say("the last {n}", {n})]))}</label>
      ${["partner", "master_admin"].includes(me.value?.role) && html`<label>${say("Whose")} ${select("person", person, [["", say("mine")], ["*", say("everybody’s")], ...others()])}</label>`}
      <label>${say("Bars show")} ${select("by", usage.measure, Object.keys(names).map(key => [key, names[key]()]))}</label>
    </form>
    ${read && html`<${Numbers} usage=${usage} read=${read} />`}
  </main>`;
}

function Numbers({usage, read}) {
  const {total} = read, measure = usage.measure, value = measures[measure], amount = shown[measure];
  const group = by => read.groups.find(g => g.by === by)?.rows ?? [];
  if (!total.calls) return html`<p id="none" class="muted">${say("Nothing was used in this time.")}</p>`;
  const name = {
    agent: row => display(row.key), person: row => called(row.key), model: row => row.key || say("not known"),
    tree: row => row.task_id ? html`<a href=${`/tasks/${row.task_id}`} dir="auto">${row.title}</a>` : row.session_id ? html`<a href=${`/sessions#${row.session_id}`}>${ofChat(row)}</a>` : row.key,
  };
  const days = usage.days();
  return html`
    <dl class="tiles">
      <div><dt>${say("Cost")}</dt><dd>${total.cost ? money(total.cost) : say("none known")}</dd></div>
      <div><dt>${say("Model calls")}</dt><dd>${number(total.calls)}</dd></div>
      <div><dt>${say("Tokens in")}</dt><dd>${short(total.input_tokens)}</dd></div>
      <div><dt>${say("of them from cache")}</dt><dd>${total.input_tokens ? `${Math.round(100 * total.cached_tokens / total.input_tokens)} %` : "–"}</dd></div>
      <div><dt>${say("Tokens out")}</dt><dd>${short(total.output_tokens)}</dd></div>
    </dl>
    <section id="by-day"><h3>${say("By day")} <span class="muted">UTC</span></h3>
      <${Columns} rows=${days} value=${value} amount=${amount} />
      <details><summary>${say("The days as a table")}</summary><${Table} rows=${days.filter(day => day.calls).toReversed()} head=${say("Day")} name=${row => html`<time datetime=${row.key}>${dayOf(row.key)}</time>`} value=${value} /></details></section>
    <div class="usage-groups">
      ${[["agent", say("By agent"), say("Agent")], ["model", say("By model"), say("Model")], ["person", say("By person"), say("Person")], ["tree", say("By errand"), say("Errand")]]
        .filter(([by]) => by !== "person" || usage.filters.value.person === "*")
        .map(([by, title, head]) => group(by).length > 0 && html`<section key=${by} id=${`by-${by}`}><h3>${title}</h3>
          <${Table} rows=${by === "tree" ? group(by).slice(0, 20) : group(by)} head=${head} name=${name[by]} value=${value} /></section>`)}
    </div>`;
}

// ofChat says what of a chat it was for.
function ofChat({key, title}) {
  if (key.startsWith("title:")) return title ? say("the title of “{title}”", {title}) : say("the title of a chat");
  return title ? say("a message in “{title}”", {title}) : say("a message in a chat");
}

function Table({rows, head, name, value}) {
  const most = Math.max(...rows.map(value), Number.MIN_VALUE);
  return html`<div class="rows-scroll"><table class="plain-table usage-table">
    <thead><tr><th>${head}</th><td aria-hidden="true"></td><th class="num">${say("Cost")}</th><th class="num">${say("Calls")}</th><th class="num">${say("Tokens used")}</th></tr></thead>
    <tbody>${rows.map(row => html`<tr key=${row.key}>
      <th scope="row" class="what">${name(row)}</th>
      <td class="bar-cell" aria-hidden="true"><svg viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="bar-fill" width=${Math.max(.5, 100 * value(row) / most)} height="8" /></svg></td>
      <td class="num">${row.cost ? money(row.cost) : ""}</td><td class="num">${number(row.calls)}</td><td class="num" title=${number(tokens(row))}>${short(tokens(row))}</td>
    </tr>`)}</tbody>
  </table></div>`;
}
