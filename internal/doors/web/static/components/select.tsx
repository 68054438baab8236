// A choice out of a list. options are [value, name]; all, if it is given, is what no choice
// is called, and choose is told of the value.

import type {PartialSelectHTMLAttributes} from "preact";

// A Choice has a value, its name, and what more is said of it.
export type Choice = [value: string, name: string, title?: string];

type SelectProps = Omit<PartialSelectHTMLAttributes<HTMLSelectElement>, "value" | "role" | "size"> & {value: string; options: Choice[]; all?: string; choose?: (value: string) => void};

export function Select({value, options, all, choose, ...rest}: SelectProps) {
  return <select value={value} onChange={event => choose?.(event.currentTarget.value)} {...rest}>
    {all !== undefined && <option value="">{all}</option>}
    {options.map(([key, name, title]) => <option key={key} value={key} title={title} selected={key === value}>{name}</option>)}
  </select>;
}
