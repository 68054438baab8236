import{a,b}from"./chunk-XA73SW3H.js";import"./chunk-WWFSKUUJ.js";import"./chunk-IDBT5V6X.js";export{b as ChatPlan,a as Plan};
