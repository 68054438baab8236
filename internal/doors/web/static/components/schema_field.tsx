// A field for one value that a schema asks for. What does not fit is refused by the
// server, too: here the browser helps to type it.

import {say, type Words} from "../words";
import {type Choice, Select} from "./select";

// A Schema is what an answer has to fit, as JSON Schema says it.
export interface Schema {
  type?: string;
  title?: string;
  description?: string;
  format?: string;
  enum?: string[];
  required?: string[];
  properties?: Record<string, Schema>;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

interface Given {
  id: string;
  required: boolean;
  value: string;
  "aria-describedby"?: string;
  onInput: (event: Event & {currentTarget: {value: string} & EventTarget}) => void;
}

interface Field {
  name: string;
  label: string;
  required: boolean;
  schema: Schema;
}

const types: Partial<Record<string, string>> = {email: "email", uri: "url", date: "date", "date-time": "datetime-local"};

// fieldsOf are the values of a schema: those of an object, or the one that it is.
export function fieldsOf(schema: Schema): Field[] {
  if (schema.type !== "object") return [{name: "", label: schema.title || say("page.your_answer"), required: true, schema}];
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, one]) => ({name, label: one.title || name, required: required.has(name), schema: one}));
}

// valueOf is an answer as the API takes it: one value as it is written, an object as JSON
// of what was filled in. A time is told with its zone.
export function valueOf(schema: Schema, values: Record<string, string>) {
  const said = Object.fromEntries(fieldsOf(schema).map(({name, schema: one}) => {
    const text = (values[name] ?? "").trim();
    return [name, text && one.format === "date-time" ? new Date(text).toISOString() : text];
  }).filter(([, text]) => text));
  return schema.type === "object" ? JSON.stringify(said) : said[""] ?? "";
}

const words: Words = {true: () => say("page.yes"), false: () => say("page.no")};

// textOf is an answer as people read it: the values of an object under their labels.
export function textOf(given: unknown, answer: string) {
  const schema = given as Schema | undefined;
  if (schema?.type !== "object") return answer;
  try {
    const values = JSON.parse(answer);
    return fieldsOf(schema).filter(({name}) => name in values).map(({name, label}) => `${label}: ${words[String(values[name])]?.() ?? values[name]}`).join("\n");
  } catch {
    return answer; // it is shown as it is
  }
}

export function SchemaField({field: {label, required, schema}, id, value, change}: {field: Field; id: string; value: string; change: (value: string) => void}) {
  const said = schema.description, described = said ? `${id}-says` : undefined;
  const given: Given = {id, required, value, "aria-describedby": described, onInput: event => change(event.currentTarget.value)};
  return <div class="field">
    <label for={id} dir="auto">{label}{!required && <> <span class="muted">{say("page.schema_field.optional")}</span></>}</label>
    {schema.enum?.length ? <Choose given={given} options={schema.enum.map((one): Choice => [one, one])} />
      : schema.type === "boolean" ? <Choose given={given} options={[["yes", say("page.schema_field.yes")], ["no", say("page.no_button")]]} />
      : ["integer", "number"].includes(schema.type ?? "")
        ? <input type="number" step={schema.type === "integer" ? "1" : "any"} min={schema.minimum} max={schema.maximum} {...given} />
        : <input type={(types[schema.format ?? ""] ?? "text") as "text"} dir="auto" minlength={schema.minLength} maxlength={schema.maxLength} {...given} />}
    {said && <span class="muted" id={described} dir="auto">{said}</span>}
  </div>;
}

function Choose({given, options}: {given: Given; options: Choice[]}) {
  return <Select {...given} all={say("page.schema_field.choose")} options={options} onChange={given.onInput} />;
}
