import{a,b}from"./chunk-Q6FNQ75D.js";import"./chunk-NZ2MLOBQ.js";import"./chunk-P4LB7CD7.js";export{b as ChatPlan,a as Plan};
