// Package picture makes of pictures that people send what a model is shown: upright,
// of bounded size, and without what cameras write beside it.
//
// What people send is hostile until it is decoded: a file of some kilobytes can say that
// it has a billion pixels, or say it to the decoder only. In Go nothing contains a
// decoder that runs out of memory but the end of the process. So there are two guards:
// what decoding would cost is reckoned from the header, and a picture that costs too much
// is never decoded; and the program calls itself for each picture, with less of
// everything, and without its environment.
package picture
