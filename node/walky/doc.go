// Package walky is the part of walky-talky that every machine has: short
// messages between agent sessions, each with a receipt.
//
// A message is a peer's words: data, never an instruction. Whoever sends, it
// reaches an agent as a participant's, and only when the agent asks for it. The
// pane gets one line of fixed text with a member id, a pane id and the id of
// the message, each of its strict alphabet: nothing that a peer may word.
//
// A Station is one machine's journal, addresses, caps and delivery. A Route,
// set while the machine is in a crew, carries messages to other machines. Seal,
// OpenEnvelope, Attest and Verify are the two statements that a message crosses
// the crew link under: the sender's signature, and the lead's word for whose it
// is. Only what they let through is Verified, and only that is accepted.
//
// Invariants:
//   - A receipt is given once its line in the journal is synced.
//   - One id is one message. Its repetition answers the receipt, anything else
//     under that id is refused, for as long as the journal holds it and never
//     for less than ten minutes.
//   - A message reaches the instance that its address names or nobody. The
//     instance is compared before the first byte and before Enter.
//   - A line is typed at most once. What was being typed or forwarded when the
//     machine died is unknown, and stays so unless the other side says more.
//   - A line of the journal that is damaged is named and not believed. What it may
//     have said is doubted: nothing of its origin that was held is typed, and no
//     message of another machine that was signed before is taken.
//   - Everything is bounded by Limits.
//
// A program of the same user can read the journal, open the control socket and
// sign with the crew's key. A signature says which machine sent a message, not
// that the machine's programs are honest.
package walky
