// Changes nodes in place to what they have to be. What stays the same stays the same
// node: a selection, the focus and where something is scrolled to are not lost.

// patch makes the children of an element behind the node done those of a fragment.
export function patch(element: Element, done: ChildNode | null, fragment: ParentNode & Node) {
  let was = done ? done.nextSibling : element.firstChild;
  const more = new DocumentFragment(); // put there in one go: each time costs
  for (const node of [...fragment.childNodes]) {
    if (!was) {
      more.append(node);
      continue;
    }
    const next = was.nextSibling;
    if (!merged(was, node)) was.replaceWith(node);
    was = next;
  }
  element.append(more);
  while (was) {
    const next = was.nextSibling;
    was.remove();
    was = next;
  }
}

// A node with more within it is put there anew: a browser takes long to lay out a
// paragraph of ten thousand lines that others are added to.
const most = 1000;

// merged makes a node what another is, if they are of one kind.
function merged(was: ChildNode, node: ChildNode) {
  if (was.nodeName !== node.nodeName || was.childNodes.length > most) return false;
  if (was instanceof Text && node instanceof Text) {
    write(was, node.data);
    return true;
  }
  if (!(was instanceof Element) || !(node instanceof Element)) return false;
  if (sameFormula(was, node)) return true;
  for (const {name} of [...was.attributes]) if (!node.hasAttribute(name)) was.removeAttribute(name);
  for (const {name, value} of node.attributes) if (was.getAttribute(name) !== value) was.setAttribute(name, value);
  patch(was, null, node);
  return true;
}

// A formula is shown after it was put there, and stays as long as its source does.
const sameFormula = (was: Element, node: Element) => was.hasAttribute("data-tex") &&
  ["data-formula", "data-tex"].every(name => was.getAttribute(name) === node.getAttribute(name));

// write changes a text from where it differs on.
function write(was: Text, text: string) {
  if (was.data === text) return;
  let same = 0;
  while (same < was.length && same < text.length && was.data[same] === text[same]) same++;
  was.replaceData(same, was.length - same, text.slice(same));
}
