// Boxes whose content may be wider than they are: those that scroll can be reached with the
// keyboard, and the others are no stop on the way.

import {say} from "../words";

const sizes = new ResizeObserver(entries => {
  for (const box of new Set(entries.map(entry => entry.target.closest(boxes)))) if (box) adjust(box);
});

const boxes = ".table, .code-block pre, [data-formula=display], [data-formula=long]";

function adjust(box: Element) {
  const scrolls = box.scrollWidth > box.clientWidth + 1;
  if (scrolls === box.hasAttribute("tabindex")) return;
  if (!scrolls) return ["tabindex", "role", "aria-label"].forEach(name => box.removeAttribute(name));
  box.setAttribute("tabindex", "0");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", say("page.markdown.scrolls_sideways"));
}

// watch looks after the boxes within a node, and that which it is itself.
export function watch(node: ParentNode) {
  const all = [...node.querySelectorAll(boxes)];
  if (node instanceof Element && node.matches(boxes)) all.push(node);
  for (const box of all) {
    for (const one of [box, box.firstElementChild]) {
      if (!one) continue;
      sizes.unobserve(one); // to be told of it anew: a patch takes away what is not in the text
      sizes.observe(one);
    }
  }
}
