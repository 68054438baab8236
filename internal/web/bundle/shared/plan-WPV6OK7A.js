import{a,b}from"./chunk-KGBTXPLI.js";import"./chunk-XRR45PQE.js";import"./chunk-RLV57SEU.js";export{b as ChatPlan,a as Plan};
