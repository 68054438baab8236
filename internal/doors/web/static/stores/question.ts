// Asking before something that cannot be undone.

import {signal} from "../ui";

export interface Sure {
  text: string;
  yes: string;
  detail?: string;
  list?: string[];
  answer: (said: boolean) => void;
}

export const question = signal<Sure | null>(null);

// sure resolves to whether the person says yes.
export function sure(text: string, yes: string, detail?: string, list?: string[]) {
  return new Promise<boolean>(resolve => {
    question.value = {text, yes, detail, list, answer: said => {
      question.value = null;
      resolve(said);
    }};
  });
}
