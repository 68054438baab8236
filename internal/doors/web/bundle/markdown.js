import{a,b,c}from"./shared/chunk-LJBRRDAZ.js";import"./shared/chunk-CFPS2KNV.js";export{c as LiveMarkdown,b as markdown,a as prepareMarkdown};
