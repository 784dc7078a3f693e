package harness

// shell is the adapter of a pane without an agent. Its input is the line at the
// cursor; a menu that a program in it shows is no place for a line.
var shell = &Adapter{Name: ShellName, Screen: &Layout{Menus: true}}
