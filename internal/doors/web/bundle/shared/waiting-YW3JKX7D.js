import{a,b}from"./chunk-2WOF4UGT.js";import"./chunk-QMZONXFO.js";import"./chunk-NRO5K67X.js";import"./chunk-YQON7QPC.js";export{b as Waiting,a as toQuestion};
