// A choice out of a list. options are [value, name]; all, if it is given, is what no choice
// is called, and choose is told of the value.

import {html} from "../ui.js";

export function Select({value, options, all, choose, ...rest}) {
  return html`<select value=${value} onChange=${event => choose(event.target.value)} ...${rest}>
    ${all !== undefined && html`<option value="">${all}</option>`}
    ${options.map(([key, name, title]) => html`<option key=${key} value=${key} title=${title} selected=${key === value}>${name}</option>`)}
  </select>`;
}
