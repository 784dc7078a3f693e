package api

import (
	"errors"
	"net/http"
)

// An Error is a refusal as a client sees it: one sentence, and a stable code
// that programs may hold on to. Every code is listed in docs/errors.md.
type Error struct {
	Status  int    `json:"-"`
	Message string `json:"error"`
	Code    string `json:"code"`
	Host    string `json:"host,omitempty"`
	Detail  any    `json:"detail,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Is compares by code, so that a refusal that crossed a link is still the same.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// On returns the refusal with the machine that it is about.
func (e *Error) On(host string) *Error {
	c := *e
	c.Host = host
	return &c
}

// With returns the refusal with more to say about this case.
func (e *Error) With(detail any) *Error {
	c := *e
	c.Detail = detail
	return &c
}

// Refusal returns a refusal with a code of its own; other packages have some.
func Refusal(status int, code, message string) *Error {
	return &Error{Status: status, Code: code, Message: message}
}

// The refusals of the API, one code each. They are values to return and to
// compare with errors.Is; On and With copy them.
var (
	ErrNotFound           = Refusal(http.StatusNotFound, "not_found", "not found")
	ErrMethodNotAllowed   = Refusal(http.StatusMethodNotAllowed, "method_not_allowed", "method not allowed")
	ErrHostUnknown        = Refusal(http.StatusNotFound, "host_unknown", "no machine of that name in this crew")
	ErrPaneNotFound       = Refusal(http.StatusNotFound, "pane_not_found", "no such pane")
	ErrPaneGone           = Refusal(http.StatusGone, "pane_gone", "the program in this pane has ended")
	ErrBadRequest         = Refusal(http.StatusBadRequest, "bad_request", "the request is not valid")
	ErrTooLarge           = Refusal(http.StatusRequestEntityTooLarge, "too_large", "the request is too large")
	ErrNoChat             = Refusal(http.StatusNotFound, "no_chat", "no session log of the program in this pane is known")
	ErrChatUnclear        = Refusal(http.StatusConflict, "chat_unclear", "more than one session log could be that of this pane")
	ErrAnswered           = Refusal(http.StatusConflict, "already_answered", "that question was answered already, or is asked no more")
	ErrNotHeld            = Refusal(http.StatusConflict, "not_held", "the permission was not answered on a phone; it is asked on the screen")
	ErrScreenChanged      = Refusal(http.StatusConflict, "screen_changed", "the screen changed before that could be sent")
	ErrScreenMissing      = Refusal(http.StatusBadRequest, "screen_missing", "the request does not say which screen it is meant for, so nothing was typed")
	ErrPasswordPrompt     = Refusal(http.StatusConflict, "password_prompt", "the terminal asks for a password; type it with the keys board")
	ErrDialogOpen         = Refusal(http.StatusConflict, "dialog_open", "the program in that pane asks a question, which has to be answered first; nothing was typed")
	ErrInputUnseen        = Refusal(http.StatusConflict, "input_unseen", "the input of the program in that pane is not on its screen; nothing was typed")
	ErrPartlySent         = Refusal(http.StatusConflict, "partly_sent", "the first lines were sent, and the rest was not")
	ErrConfirm            = Refusal(http.StatusConflict, "confirmation_needed", "that answer counts for the future too; confirm it")
	ErrAnswerUnseen       = Refusal(http.StatusConflict, "answer_unseen", "the key was pressed, and the question is still on the screen")
	ErrProgramChanged     = Refusal(http.StatusConflict, "program_changed", "another program has that pane now; nothing was typed")
	ErrProgramRuns        = Refusal(http.StatusConflict, "program_runs", "a program runs in that pane")
	ErrEscapeUnconfirmed  = Refusal(http.StatusConflict, "escape_unconfirmed", "nobody here understands that screen; press Escape again within 4 seconds")
	ErrWouldSubmit        = Refusal(http.StatusConflict, "would_submit", "the program in that pane takes each line as it comes, so lines cannot be typed without Enter; nothing was typed")
	ErrNotSubmitted       = Refusal(http.StatusConflict, "not_submitted", "the text was typed but not submitted")
	ErrRepeated           = Refusal(http.StatusConflict, "keys_out_of_order", "these keys came out of order")
	ErrUnknownKey         = Refusal(http.StatusBadRequest, "unknown_key", "no such key")
	ErrAuditUnavailable   = Refusal(http.StatusServiceUnavailable, "audit_unavailable", "the audit log cannot be written, so nothing was done")
	ErrHostUnreachable    = Refusal(http.StatusServiceUnavailable, "host_unreachable", "that machine cannot be reached")
	ErrOutcomeUnknown     = Refusal(http.StatusGatewayTimeout, "write_outcome_unknown", "no answer came; whether it was done is not known")
	ErrRouteNotFederated  = Refusal(http.StatusNotImplemented, "route_not_federated", "that cannot be done on another machine")
	ErrHostAnswer         = Refusal(http.StatusBadGateway, "host_answer_invalid", "that machine sent an answer that cannot be read")
	ErrHostFailed         = Refusal(http.StatusBadGateway, "host_failed", "something went wrong on that machine; its log says what")
	ErrInternal           = Refusal(http.StatusInternalServerError, "internal", "something went wrong here; the log says what")
	ErrWalkyRefused       = Refusal(http.StatusConflict, "walky_refused", "the message was refused")
	ErrTooManyPanes       = Refusal(http.StatusConflict, "too_many_panes", "this machine has as many panes as it keeps")
	ErrPaneAway           = Refusal(http.StatusServiceUnavailable, "pane_away", "that pane does not answer at present")
	ErrPaneBusy           = Refusal(http.StatusServiceUnavailable, "pane_busy", "that pane is looked at from too many places at once; nothing was typed")
	ErrInputFull          = Refusal(http.StatusConflict, "input_full", "the program in that pane takes no input at present; nothing was typed")
	ErrStreamsExhausted   = Refusal(http.StatusServiceUnavailable, "too_many_streams", "this machine serves as many streams as it can")
	ErrTooManyCalls       = Refusal(http.StatusServiceUnavailable, "too_many_calls", "the agents here ask the node too much at once; try again")
	ErrNotAllowed         = Refusal(http.StatusForbidden, "not_allowed", "only the operator may do that")
	ErrWrongRole          = Refusal(http.StatusConflict, "wrong_role", "this machine is not in the role for that")
	ErrCrewUnavailable    = Refusal(http.StatusServiceUnavailable, "crew_unavailable", "the crew part of this machine is off")
	ErrLeadUnreachable    = Refusal(http.StatusBadGateway, "lead_unreachable", "the lead cannot be reached")
	ErrJoinRefused        = Refusal(http.StatusForbidden, "join_refused", "this machine was not let in")
	ErrUnsaved            = Refusal(http.StatusInsufficientStorage, "not_stored_yet", "it counts now, but is not stored yet: free space on the disk, or a restart undoes it")
	ErrNotDeputy          = Refusal(http.StatusForbidden, "not_the_deputy", "the caller is not the deputy of the warrant that stands here")
	ErrStatementRefused   = Refusal(http.StatusForbidden, "statement_refused", "what was shown does not verify here")
	ErrEquivocation       = Refusal(http.StatusConflict, "equivocation", "the lead has signed two warrants of one generation")
	ErrHandoverRefused    = Refusal(http.StatusForbidden, "handover_not_approved", "the lead has not approved this handover (collie crew approve-promote)")
	ErrDeputyStands       = Refusal(http.StatusConflict, "deputy_stands", "the deputy cannot be told now that it is no more: bring it back, or say first that you go on without its word (collie crew deputy --revoke)")
	ErrDeputyUnheard      = Refusal(http.StatusConflict, "deputy_unheard", "nobody is deputy now, but the one before has not confirmed it and could still take over where it cannot hear: bring it back, or repeat the command to go on without its word")
	ErrCannotStore        = Refusal(http.StatusInsufficientStorage, "cannot_store", "this machine cannot store that, so nothing was changed")
	ErrPaneOpen           = Refusal(http.StatusConflict, "pane_open", "somebody has that pane open in a terminal, which decides on its size")
	ErrSentNotFound       = Refusal(http.StatusNotFound, "sent_not_found", "no sent line has that id")
	ErrSentUnavailable    = Refusal(http.StatusServiceUnavailable, "sent_unavailable", "the list of sent lines is not available")
	ErrUnsupported        = Refusal(http.StatusNotImplemented, "unsupported", "the multiplexer of that machine cannot do that")
	ErrMultiplexer        = Refusal(http.StatusConflict, "multiplexer_refused", "the multiplexer refused")
	ErrPairingUnavailable = Refusal(http.StatusServiceUnavailable, "pairing_unavailable", "the list of paired devices cannot be read")
)

// Codes lists every refusal of this package, for the documentation and for
// the reading of another machine's answers.
func Codes() []*Error {
	return []*Error{
		ErrNotFound, ErrMethodNotAllowed, ErrHostUnknown, ErrPaneNotFound, ErrPaneGone, ErrBadRequest, ErrTooLarge,
		ErrNoChat, ErrChatUnclear, ErrAnswered, ErrNotHeld, ErrNoBlob, ErrScreenChanged, ErrScreenMissing, ErrPasswordPrompt, ErrWouldSubmit, ErrNotSubmitted, ErrRepeated, ErrUnknownKey, ErrAuditUnavailable,
		ErrHostUnreachable, ErrOutcomeUnknown, ErrRouteNotFederated, ErrHostAnswer, ErrHostFailed, ErrInternal,
		ErrWalkyRefused, ErrTooManyPanes, ErrPaneAway, ErrPaneBusy, ErrInputFull, ErrTooManyCalls, ErrStreamsExhausted, ErrNotAllowed, ErrWrongRole,
		ErrDialogOpen, ErrInputUnseen, ErrPartlySent, ErrConfirm, ErrAnswerUnseen, ErrProgramChanged, ErrProgramRuns, ErrEscapeUnconfirmed,
		ErrNotDeputy, ErrStatementRefused, ErrEquivocation, ErrHandoverRefused, ErrDeputyStands, ErrDeputyUnheard,
		ErrFileNotFound, ErrFileNotShown, ErrFileChanged, ErrGitFailed, ErrGitSlow, ErrGitUnsafe, ErrNoRepository, ErrWorktreeExists,
		ErrUploadsFull, ErrUploadTooBig, ErrUploadAborted,
		ErrCrewUnavailable, ErrLeadUnreachable, ErrJoinRefused, ErrUnsaved, ErrCannotStore, ErrPairingUnavailable,
		ErrSentNotFound, ErrSentUnavailable,
		ErrPaneOpen, ErrUnsupported, ErrMultiplexer,
		ErrLoadUnavailable,
		ErrLaunchersUnavailable, ErrLauncherNotFound, ErrLauncherRefused, ErrLauncherInvalid, ErrLauncherUnconfirmed, ErrTooManyLaunchers,
	}
}

// AsError finds the refusal in err, or says that something went wrong here.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return ErrInternal
}
