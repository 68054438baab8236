import{a,b,c}from"./shared/chunk-B52JOGFE.js";import"./shared/chunk-Z4MSZ2JS.js";export{c as LiveMarkdown,b as markdown,a as prepareMarkdown};
