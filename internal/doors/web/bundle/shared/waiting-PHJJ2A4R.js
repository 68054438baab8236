import{a,b}from"./chunk-TLT2DLAP.js";import"./chunk-YOVBQ4OI.js";import"./chunk-GULCHNTC.js";import"./chunk-TLIK5HBT.js";export{b as Waiting,a as toQuestion};
