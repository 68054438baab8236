// Building elements, for what is no component.

// make builds an element; children that are strings become text, never markup.
export function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes: Record<string, string | boolean | undefined | (() => void)> = {}, ...children: (Node | string)[]) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}
