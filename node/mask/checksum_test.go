package mask

import "testing"

// Checksums as vendors make them; the bodies are made up.
func TestChecksums(t *testing.T) {
	t.Parallel()
	grafana := "glsa_" + madeMixed[:32] + "_"
	gitlab := "glpat-" + madeMixed[:40] + ".01.12"
	for _, c := range []struct {
		name, token string
		sum         func([]byte) bool
	}{
		{"GitHub", "ghp_" + "q7Rw2Lk9Zx4Tn8Vb3Hs6Yd1Pf5Gm0J" + "4ZOU3A", sumBase62},
		{"npm", "npm_" + "q7Rw2Lk9Zx4Tn8Vb3Hs6Yd1Pf5Gm0J" + "4ZOU3A", sumBase62},
		{"Grafana", grafana + "c47c51f5", sumGrafana},
		{"GitLab", gitlab + "0r6rw9w", sumGitLab},
		{"GitLab at the end of a sentence", gitlab + "0r6rw9w" + ".", sumGitLab},
		{"Cloudflare", "cfut_" + madeMixed[:40] + "54199c8a", sumCloudflare},
	} {
		if !c.sum([]byte(c.token)) {
			t.Errorf("%s: %q has a wrong checksum", c.name, c.token)
		}
		for i := range len(c.token) {
			broken := []byte(c.token)
			if broken[i]++; broken[i] == '_' || broken[i] == '/' || c.token[i] == '_' || c.token[i] == '.' {
				continue
			}
			if i >= len("ghp_") && c.name != "GitLab at the end of a sentence" && (c.name[0] != 'C' || i > 5) && c.sum(broken) {
				t.Errorf("%s: %q has a right checksum", c.name, broken)
			}
		}
		for n := range len(c.token) {
			if c.name != "GitLab at the end of a sentence" && c.sum([]byte(c.token[:n])) {
				t.Errorf("%s: %q has a right checksum", c.name, c.token[:n])
			}
		}
	}
}

func TestTheChecksumMakesAGluedTokenSureAndDecidesAgainstNothing(t *testing.T) {
	t.Parallel()
	m := New()
	letters := "qwertyuiopasdfghjklzxcvbnmqwer"
	right, wrong := withBase62(letters), letters+"abcdef"
	for text, want := range map[string]string{
		"xghp_" + right:          "xghp_" + dots(36),
		"x_npm_" + right:         "x_npm_" + dots(36),
		"ghp_" + wrong:           "ghp_" + dots(36),
		"xghp_" + wrong:          "xghp_" + wrong, // a word, for all that is known
		"xghp_" + madeMixed[:36]: "xghp_" + dots(36),
		"ghp_" + withBase62("example"+letters[:23]): "ghp_" + dots(36), // begins like a placeholder
	} {
		if got, _ := m.Text(text, Options{}); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}
