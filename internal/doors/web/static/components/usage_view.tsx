// What was used: in all, by day, and by what it was for. Each chart stands beside a table
// with the same numbers.

import type * as API from "../api_types";
import {display, moment} from "../api";
import {about, me} from "../stores/account";
import {money, number, short} from "../numbers";
import {called, others} from "../stores/names";
import type {Usage} from "../stores/usage";
import type {ComponentChildren} from "../ui";
import {say, sayWith} from "../words";
import {Columns, dayOf} from "./columns";
import {type Choice, Select} from "./select";
import {Today} from "./today";

const tokens = (row: API.UsageGroup) => row.input_tokens + row.output_tokens;

const measures: Record<string, (row: API.UsageGroup) => number> = {cost: row => row.cost, tokens, calls: row => row.calls};
const shown: Record<string, (n: number) => string> = {cost: money, tokens: short, calls: number};
const names: Record<string, () => string> = {cost: () => say("page.cost"), tokens: () => say("page.tokens_used"), calls: () => say("page.model_calls")};

export function UsageView({usage}: {usage: Usage}) {
  const read = usage.read.value, {days, person} = usage.filters.value;
  const select = (name: string, value: string, options: Choice[]) => <Select name={name} value={value} options={options} choose={value => usage.filter(name, value)} />;
  return <main class="page dashboard" id="usage">
    <h1>{say("page.usage")}</h1>
    <Today />
    {me.value?.today && <p class="muted">{sayWith("page.usage_view.day_begins", {time: moment(new Date().setUTCHours(0, 0, 0, 0)), setting: <code>budgets.person_day</code>})}</p>}
    <form class="filter-bar" aria-label={say("page.usage_view.what_to_count")} onSubmit={event => event.preventDefault()}>
      <label>{say("page.usage_view.days")} {select("days", days, ["1", "7", "30", "90", "365"].map((n): Choice => [n, n === "1" ? say("page.usage_view.today") : say("page.usage_view.the_last", {n})]))}</label>
      {["partner", "master_admin"].includes(me.value?.role ?? "") && <label data-set={person}>{say("page.whose")} {select("person", person, [["", say("page.mine")], ["*", say("page.everybodys")], ...others()])}</label>}
      <label>{say("page.usage_view.bars_show")} {select("by", usage.measure, Object.keys(names).map((key): Choice => [key, names[key]()]))}</label>
    </form>
    {read && <Numbers usage={usage} read={read} />}
  </main>;
}

function Numbers({usage, read}: {usage: Usage; read: API.UsageOut}) {
  const {total} = read, measure = usage.measure, value = measures[measure], amount = shown[measure];
  const group = (by: string) => read.groups?.find(g => g.by === by)?.rows ?? [];
  if (!total.calls) return <p id="none" class="muted">{say("page.usage_view.nothing_was_used_time")}</p>;
  // Of all keys of agents only that of a connection test has a space.
  const name: Record<string, (row: API.UsageGroup) => ComponentChildren> = {
    agent: row => row.key.includes(" ") ? say("page.usage_view.connection_test") : display(row.key), person: row => called(row.key), model: row => row.key || say("page.not_known"),
    tree: row => row.task_id ? <a href={`/tasks/${row.task_id}`} dir="auto">{row.title}</a> : row.session_id ? <a href={`/sessions#${row.session_id}`}>{ofChat(row)}</a> : row.key,
  };
  const days = usage.days();
  return (
    <>
      <dl class="tiles">
        <div><dt>{say("page.cost")}</dt><dd>{total.cost ? money(total.cost) : say("page.none_known")}</dd></div>
        <div><dt>{say("page.model_calls")}</dt><dd>{number(total.calls)}</dd></div>
        <div><dt>{say("page.usage_view.tokens_in")}</dt><dd>{short(total.input_tokens)}</dd></div>
        <div><dt>{say("page.usage_view.of_them_from_cache")}</dt><dd>{total.input_tokens ? `${Math.round(100 * total.cached_tokens / total.input_tokens)} %` : "–"}</dd></div>
        <div><dt>{say("page.usage_view.tokens_out")}</dt><dd>{short(total.output_tokens)}</dd></div>
      </dl>
      <section id="by-day"><h2>{say("page.usage_view.by_day")} <span class="muted">UTC</span></h2>
        <Columns rows={days} value={value} amount={amount} />
        <details><summary>{say("page.usage_view.days_as_table")}</summary><Table rows={days.filter(day => day.calls).toReversed()} head={say("page.usage_view.day")} name={row => <time datetime={row.key}>{dayOf(row.key)}</time>} value={value} /></details></section>
      <div class="usage-groups">
        {[["agent", say("page.usage_view.by_agent"), say("page.agent")], ["model", say("page.usage_view.by_model"), say("page.usage_view.model")], ["person", say("page.usage_view.by_person"), say("page.usage_view.person")], ["tree", say("page.usage_view.by_errand"), say("page.usage_view.errand")]]
          .filter(([by]) => by !== "person" || usage.filters.value.person === "*")
          .map(([by, title, head]) => group(by).length > 0 && <section key={by} id={`by-${by}`}><h2>{title}</h2>
            {by === "person" && usage.filters.value.days === "1" && group(by).filter(row => row.key).map(row =>
              <Today key={row.key} label={called(row.key)} day={{...me.value?.today, calls: row.calls, tokens: tokens(row), cost: row.cost}} />)}
            <Table rows={by === "tree" ? group(by).slice(0, 20) : group(by)} head={head} name={name[by]} value={value} /></section>)}
      </div>
      {about.value.models?.map(({model, name, price}) => <p key={model} class="muted prices">{name || model}: {price}</p>)}
    </>
  );
}

// ofChat says what of a chat it was for.
function ofChat({key, title}: API.UsageGroup) {
  if (key.startsWith("title:")) return title ? say("page.usage_view.the_title_of", {title}) : say("page.usage_view.title_chat");
  return title ? say("page.usage_view.a_message_in", {title}) : say("page.usage_view.message_chat");
}

function Table({rows, head, name, value}: {rows: API.UsageGroup[]; head: string; name: (row: API.UsageGroup) => ComponentChildren; value: (row: API.UsageGroup) => number}) {
  const most = Math.max(...rows.map(value), Number.MIN_VALUE);
  return <div class="rows-scroll"><table class="plain-table usage-table">
    <thead><tr><th>{head}</th><td aria-hidden="true"></td><th class="num">{say("page.cost")}</th><th class="num">{say("page.usage_view.calls")}</th><th class="num">{say("page.tokens_used")}</th></tr></thead>
    <tbody>{rows.map(row => <tr key={row.key}>
      <th scope="row" class="what">{name(row)}</th>
      <td class="bar-cell" aria-hidden="true"><svg viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="bar-fill" width={Math.max(.5, 100 * value(row) / most)} height="8" /></svg></td>
      <td class="num">{row.cost ? money(row.cost) : ""}</td><td class="num">{number(row.calls)}</td><td class="num" title={number(tokens(row))}>{short(tokens(row))}</td>
    </tr>)}</tbody>
  </table></div>;
}
