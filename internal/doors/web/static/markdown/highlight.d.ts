// The highlighter has no types of its own: this is what pages use of it.

declare module "@highlightjs/cdn-assets/highlight.min.js" {
  export interface Highlighter {
    getLanguage(name: string): {name: string} | undefined;
    highlight(code: string, options: {language: string; ignoreIllegals: boolean}): {value: string};
  }
  const highlighter: Highlighter;
  export default highlighter;
}
