import{a,b}from"./chunk-IUE2GWMZ.js";import"./chunk-CWQCLXBV.js";import"./chunk-YOVBQ4OI.js";import"./chunk-GULCHNTC.js";import"./chunk-TLIK5HBT.js";export{b as ChatPlan,a as Plan};
