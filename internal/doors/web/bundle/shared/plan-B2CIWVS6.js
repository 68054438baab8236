import{a,b}from"./chunk-LWCMHXH6.js";import"./chunk-IWTW55PN.js";import"./chunk-65WAY4V7.js";import"./chunk-IAAWGEUN.js";import"./chunk-VFMIFVEH.js";export{b as ChatPlan,a as Plan};
