import{a,b}from"./chunk-SABBD4Q6.js";import"./chunk-Y42T3W3D.js";import"./chunk-QMZONXFO.js";import"./chunk-NRO5K67X.js";import"./chunk-YQON7QPC.js";export{b as ChatPlan,a as Plan};
