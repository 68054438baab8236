import{a,b,c}from"./shared/chunk-HLPWEG5A.js";import"./shared/chunk-CFPS2KNV.js";export{c as LiveMarkdown,b as markdown,a as prepareMarkdown};
