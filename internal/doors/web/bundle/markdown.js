import{a,b,c}from"./shared/chunk-5J7QN2F5.js";import"./shared/chunk-CFPS2KNV.js";export{c as LiveMarkdown,b as markdown,a as prepareMarkdown};
