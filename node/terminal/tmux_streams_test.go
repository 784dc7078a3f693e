package terminal

const tmuxFull = "1 one\r\n2 two\r\n3 three\r\n4 four\r\n5 five\r\n6 six"

var tmuxStreams = []struct{ name, input string }{
	{"text", "hello, world"},
	{"lines", "one\r\ntwo\nthree\r\n\tfour"},
	{"scrolling", tmuxFull + "\r\n7 seven\r\n8 eight"},
}
