// Where one writes, and stops.

import {html, useEffect, useRef} from "../ui.js";

// With a keyboard on the screen there is no Shift+Enter: Enter makes a new line.
const touch = matchMedia("(pointer: coarse)");

export function Composer({conversation, send}) {
  const form = useRef(), text = useRef();
  const draft = `draft:${conversation.chat}`;
  const working = conversation.working.value;

  useEffect(() => {
    text.current.value ||= sessionStorage.getItem(draft) ?? "";
    const escape = event => { if (event.key === "Escape" && conversation.working.value) conversation.stop(); };
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, []);

  const submit = event => {
    event.preventDefault();
    const body = text.current.value.trim();
    if (!body) return;
    text.current.value = "";
    sessionStorage.removeItem(draft);
    send(body);
    text.current.focus();
  };
  const key = event => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || touch.matches) return;
    event.preventDefault();
    form.current.requestSubmit();
  };
  return html`<form id="form" ref=${form} onSubmit=${submit}>
    <label for="text" class="hidden">Message</label>
    <textarea id="text" rows="1" dir="auto" placeholder="Message" autocomplete="off" ref=${text}
      title=${touch.matches ? undefined : "Enter sends, Shift+Enter makes a new line"} enterkeyhint=${touch.matches ? "enter" : "send"}
      onInput=${event => sessionStorage.setItem(draft, event.target.value)} onKeyDown=${key}></textarea>
    <button type="submit" id="send">Send</button>
    ${working && html`<button type="button" id="stop" title="Escape" onClick=${() => conversation.stop()}>Stop</button>`}
  </form>`;
}
