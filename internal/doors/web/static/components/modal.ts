// What dialogs have in common.

import {useLayoutEffect} from "../ui";

// useModal shows a dialog before the page until it goes, and then has what is typed go where it
// went before. The browser gives the focus back by itself, but Chromium leaves the caret where
// the dialog was, once that is gone: keys would reach nothing until somebody clicks. What has
// gone meanwhile is stood in for by otherwise.
export function useModal(dialog: {current: HTMLDialogElement}, otherwise?: () => HTMLElement | null) {
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    return () => setTimeout(() => {
      if (![before, document.body].includes(document.activeElement)) return; // it is wanted elsewhere
      const at = before?.isConnected ? before : otherwise?.();
      if (!(at instanceof HTMLElement)) return;
      at.blur();
      at.focus();
    });
  }, []);
}
