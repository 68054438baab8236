package accounts

// Drawing is drawing, for the tests that run whole commands.
var Drawing = drawing
