import{a,b}from"./chunk-6ME663FE.js";import"./chunk-IWTW55PN.js";import"./chunk-XXISIJTX.js";import"./chunk-IAAWGEUN.js";import"./chunk-VFMIFVEH.js";export{b as ChatPlan,a as Plan};
