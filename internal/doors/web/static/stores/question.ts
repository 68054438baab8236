// Asking before something that cannot be undone.

import {signal} from "../ui";

export interface Sure {
  text: string;
  yes: string;
  detail?: string;
  answer: (said: boolean) => void;
}

export const question = signal<Sure | null>(null);

// sure resolves to whether the person says yes.
export function sure(text: string, yes: string, detail?: string) {
  return new Promise<boolean>(resolve => {
    question.value = {text, yes, detail, answer: said => {
      question.value = null;
      resolve(said);
    }};
  });
}
