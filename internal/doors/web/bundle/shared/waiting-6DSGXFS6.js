import{a,b}from"./chunk-SIIJD3SY.js";import"./chunk-XXISIJTX.js";import"./chunk-IAAWGEUN.js";import"./chunk-VFMIFVEH.js";export{b as Waiting,a as toQuestion};
