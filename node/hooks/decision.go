package hooks

import "encoding/json"

// Decision is what a hook writes to its stdout to answer a permission; nothing
// for what is no answer.
func Decision(answer string) []byte {
	type decision struct {
		Behavior string `json:"behavior"`
		Message  string `json:"message,omitempty"`
	}
	d := decision{Behavior: answer}
	switch answer {
	case "allow":
	case "deny":
		d.Message = "The person who looks after this session said no, on their phone."
	default:
		return nil
	}
	var document struct {
		Output struct {
			Event    string   `json:"hookEventName"`
			Decision decision `json:"decision"`
		} `json:"hookSpecificOutput"`
	}
	document.Output.Event, document.Output.Decision = Permission, d
	data, err := json.Marshal(document)
	if err != nil {
		return nil
	}
	return data
}
