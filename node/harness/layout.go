package harness

// A Layout says what a harness draws.
type Layout struct {
	// Menus reports lists with one marked row as something that owns the input,
	// for programs of which nothing else is known.
	Menus bool
}
