import{a,b}from"./chunk-7Q2C3D3X.js";import"./chunk-65WAY4V7.js";import"./chunk-IAAWGEUN.js";import"./chunk-VFMIFVEH.js";export{b as Waiting,a as toQuestion};
