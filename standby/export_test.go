package standby

// Jitter is for a test of the first dial alone.
var Jitter = (*Standby).jitter
