// Package find chooses what a model sees of a project: it ranks files by the words
// of a request, finds definitions, and packs names, outlines and excerpts into a
// budget of tokens. It is pure: it gets texts and gives texts, opens no file, and
// its result hangs on nothing but the request and the files, neither on their times
// nor on the number of processors. Nothing is indexed: one pass counts the words of
// the request.
package find
