package walky

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Refusals of a call. Those of a message are in its receipt.
var (
	ErrBody       = errors.New("body is not valid")
	ErrID         = errors.New("not the id of a message")
	ErrNotFound   = errors.New("no journal record on this machine")
	ErrNotYours   = errors.New("message is for another session")
	ErrNoInbox    = errors.New("message is in the journal of this machine, and for no inbox here")
	ErrNotHeld    = errors.New("message is not held any more")
	ErrNotSender  = errors.New("message is held, and only the machine that sent it can take it back")
	ErrNotReached = errors.New("machine that holds the message did not say that it took it back")
	ErrNoReply    = errors.New("message came from no session and from no phone, so nobody reads a reply")
	ErrNoPane     = errors.New("no such pane on this machine")
	ErrDevice     = errors.New("not the label of a paired phone")
	ErrUnrecorded = errors.New("the journal could not be written, so nothing was done")
	ErrClosed     = errors.New("walky messages are closed")
)

// codes are the stable names of the refusals above, listed in docs/errors.md.
var codes = [...]struct {
	refusal error
	code    string
}{
	{ErrAddress, "walky_bad_address"},
	{ErrBody, "walky_bad_body"},
	{ErrID, "walky_bad_id"},
	{ErrNotFound, "walky_not_found"},
	{ErrNotYours, "walky_not_yours"},
	{ErrNoInbox, "walky_no_inbox"},
	{ErrNotHeld, "walky_not_held"},
	{ErrNotSender, "walky_not_sender"},
	{ErrNotReached, "walky_not_reached"},
	{ErrNoReply, "walky_no_reply"},
	{ErrNoPane, "walky_no_pane"},
	{ErrDevice, "walky_bad_device"},
	{ErrUnrecorded, "walky_unrecorded"},
	{ErrClosed, "walky_closed"},
	{ErrReceipt, "walky_bad_receipt"},
}

// Code returns the stable name of a refusal of this package: one of those
// above, walky_check_failed, or that of a RefusedError; "" for any other error.
func Code(err error) string {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return refused.Code()
	}
	var check *CheckError
	if errors.As(err, &check) {
		return "walky_check_failed"
	}
	for _, known := range codes {
		if errors.Is(err, known.refusal) {
			return known.code
		}
	}
	return ""
}

// A RefusedError is the refusal of a message, as a sentence with a stable code.
type RefusedError struct {
	Reason string
	Wait   time.Duration // 0 unless waiting helps
}

func (e *RefusedError) Error() string {
	text := "message refused: " + e.Reason
	if e.Wait > 0 {
		text += fmt.Sprintf("; try again in %s", e.Wait.Round(time.Second))
	}
	return text
}

// Code returns walky_refused_ and the reason.
func (e *RefusedError) Code() string {
	return "walky_refused_" + strings.ReplaceAll(e.Reason, " ", "_")
}

// The checks of a message that came over the crew link, in their order.
const (
	CheckForm                 = "form"
	CheckAttestationSignature = "attestation signature"
	CheckCrew                 = "crew"
	CheckGeneration           = "generation"
	CheckReceiver             = "receiver"
	CheckCertificate          = "certificate"
	CheckMessageSignature     = "message signature"
	CheckMessage              = "message"
	CheckSender               = "sender"
	CheckDevice               = "device"
	CheckDigest               = "digest"
	CheckTime                 = "time"
	CheckReplay               = "replay"
)

// A CheckError says which check a message failed. Nothing of such a message is
// kept.
type CheckError struct {
	Check string
	// ID is the message that a valid signature names, empty without one.
	ID  string
	Err error
}

func (e *CheckError) Error() string { return fmt.Sprintf("check of %s failed: %v", e.Check, e.Err) }

// Unwrap returns what was wrong.
func (e *CheckError) Unwrap() error { return e.Err }
