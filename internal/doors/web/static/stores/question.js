// Asking before something that cannot be undone.

import {signal} from "../ui.js";

export const question = signal(null);

// sure resolves to whether the person says yes.
export function sure(text, yes, detail) {
  return new Promise(resolve => {
    question.value = {text, yes, detail, answer: said => {
      question.value = null;
      resolve(said);
    }};
  });
}
