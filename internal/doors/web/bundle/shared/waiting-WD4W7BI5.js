import{a,b}from"./chunk-KSKN2CMQ.js";import"./chunk-YDTQIA2D.js";import"./chunk-NRO5K67X.js";import"./chunk-YQON7QPC.js";export{b as Waiting,a as toQuestion};
