import{a,b}from"./chunk-CEN2XANW.js";import"./chunk-ZSYFMEBJ.js";import"./chunk-V2GEF5NQ.js";export{b as ChatPlan,a as Plan};
