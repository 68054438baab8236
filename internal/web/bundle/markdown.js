import{a,b,c}from"./shared/chunk-RPVLV6AY.js";import"./shared/chunk-Z4MSZ2JS.js";export{c as LiveMarkdown,b as markdown,a as prepareMarkdown};
