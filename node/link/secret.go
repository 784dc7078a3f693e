package link

// SecretRoute is where a lead tells a member the new crew secret, below Prefix.
// The mesh knows it too: see mesh.SecretPath.
const SecretRoute = "/secret"

// A NewSecret is what a lead tells a member when it has replaced the crew
// secret. The call proves the one before, so that only a member that holds that
// one is told.
type NewSecret struct {
	Secret           []byte `json:"secret"`
	SecretGeneration uint64 `json:"secretGeneration"`
}
