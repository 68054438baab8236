import{a,b}from"./chunk-E4DHJNYC.js";import"./chunk-Y42T3W3D.js";import"./chunk-YDTQIA2D.js";import"./chunk-NRO5K67X.js";import"./chunk-YQON7QPC.js";export{b as ChatPlan,a as Plan};
