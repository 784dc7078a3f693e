package control

import (
	"errors"
	"time"

	"collie/node/audit"
)

// MaxAuditWait is how long one call for the next lines waits at most.
const MaxAuditWait = time.Minute

// AuditTail is what collie audit tail is answered: the lines, oldest first, and
// the number of the last one, after which the next question begins.
type AuditTail struct {
	Lines []audit.Line `json:"lines"`
	Last  uint64       `json:"last"`
}

// AuditChain is the document of collie audit verify. Lines and Since are of a
// log that is whole, and so are Behind, how often the record of its end was found
// older than its lines, BehindAt, when last, and Unrecorded, the lines after the
// recorded one where no node runs. File, Line and Reason name the first line of one
// that is not.
type AuditChain struct {
	Whole      bool `json:"whole"`
	Lines      int  `json:"lines"`
	Since      Time `json:"since"`
	Behind     int  `json:"behind"`
	BehindAt   Time `json:"behindAt"`
	Unrecorded int  `json:"unrecorded"`
	File       Text `json:"file"`
	Line       *int `json:"line"`
	Reason     Text `json:"reason"`
}

// ChainOf is the document for what audit.Verify found. Another error than a
// break is returned.
func ChainOf(kept audit.Kept, err error) (AuditChain, error) {
	if err == nil {
		return AuditChain{
			Whole: true, Lines: kept.Lines, Since: Time(kept.Since),
			Behind: kept.Behind, BehindAt: Time(kept.BehindAt), Unrecorded: kept.Unrecorded,
		}, nil
	}
	var broken *audit.BrokenError
	if errors.As(err, &broken) {
		return AuditChain{File: Text(broken.File), Line: &broken.Line, Reason: Text(broken.Reason)}, nil
	}
	return AuditChain{}, err
}
