package frontdoor

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"collie/crypto/atomicfile"
)

// certificate is the TLS certificate of two files, loaded again when either
// changes. One that cannot be loaded leaves the one before in use.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	loaded  *tls.Certificate
	from    [2]os.FileInfo
	checked time.Time
}

func loadCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, log: log}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("%w: COLLIE_TLS_CERT and COLLIE_TLS_KEY: %w", ErrConfig, err)
	}
	return c, nil
}

// get is for tls.Config.GetCertificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.checked) >= certificateCheckEvery {
		c.checked = now
		if err := c.load(); err != nil {
			c.log.Warn("the TLS certificate cannot be loaded again; the one before stays", "error", err)
		}
	}
	return c.loaded, nil
}

func (c *certificate) load() error {
	var info [2]os.FileInfo
	for i, path := range []string{c.cert, c.key} {
		var err error
		if info[i], err = os.Stat(path); err != nil {
			return err
		}
	}
	if atomicfile.Unchanged(c.from[0], info[0]) && atomicfile.Unchanged(c.from[1], info[1]) {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.loaded, c.from = &pair, info
	return nil
}
