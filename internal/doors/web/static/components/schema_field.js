// A field for one value that a schema asks for. What does not fit is refused by the
// server, too: here the browser helps to type it.

import {html} from "../ui.js";
import {say} from "../words.js";
import {Select} from "./select.js";

const types = {email: "email", uri: "url", date: "date", "date-time": "datetime-local"};

// fieldsOf are the values of a schema: those of an object, or the one that it is.
export function fieldsOf(schema) {
  if (schema.type !== "object") return [{name: "", label: schema.title || say("page.your_answer"), required: true, schema}];
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, one]) => ({name, label: one.title || name, required: required.has(name), schema: one}));
}

// valueOf is an answer as the API takes it: one value as it is written, an object as JSON
// of what was filled in. A time is told with its zone.
export function valueOf(schema, values) {
  const said = Object.fromEntries(fieldsOf(schema).map(({name, schema: one}) => {
    const text = (values[name] ?? "").trim();
    return [name, text && one.format === "date-time" ? new Date(text).toISOString() : text];
  }).filter(([, text]) => text));
  return schema.type === "object" ? JSON.stringify(said) : said[""] ?? "";
}

const words = {true: () => say("page.yes"), false: () => say("page.no")};

// textOf is an answer as people read it: the values of an object under their labels.
export function textOf(schema, answer) {
  if (schema?.type !== "object") return answer;
  try {
    const values = JSON.parse(answer);
    return fieldsOf(schema).filter(({name}) => name in values).map(({name, label}) => `${label}: ${words[values[name]]?.() ?? values[name]}`).join("\n");
  } catch {
    return answer; // it is shown as it is
  }
}

export function SchemaField({field: {label, required, schema}, id, value, change}) {
  const said = schema.description, described = said ? `${id}-says` : undefined;
  const given = {id, required, value, "aria-describedby": described, onInput: event => change(event.target.value)};
  return html`<div class="field">
    <label for=${id} dir="auto">${label}${!required && html` <span class="muted">${say("page.schema_field.optional")}</span>`}</label>
    ${schema.enum?.length ? html`<${Choice} given=${given} options=${schema.enum.map(one => [one, one])} />`
      : schema.type === "boolean" ? html`<${Choice} given=${given} options=${[["yes", say("page.schema_field.yes")], ["no", say("page.no_button")]]} />`
      : ["integer", "number"].includes(schema.type)
        ? html`<input type="number" step=${schema.type === "integer" ? "1" : "any"} min=${schema.minimum} max=${schema.maximum} ...${given} />`
        : html`<input type=${types[schema.format] ?? "text"} dir="auto" minlength=${schema.minLength} maxlength=${schema.maxLength} ...${given} />`}
    ${said && html`<span class="muted" id=${described} dir="auto">${said}</span>`}
  </div>`;
}

function Choice({given, options}) {
  return html`<${Select} ...${given} all=${say("page.schema_field.choose")} options=${options} onChange=${given.onInput} />`;
}
