import{a,b,c}from"./shared/chunk-WAQJSITK.js";import"./shared/chunk-Z4MSZ2JS.js";export{c as LiveMarkdown,b as markdown,a as prepareMarkdown};
