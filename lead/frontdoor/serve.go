package frontdoor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"collie/node/site"
)

// Serve answers on a listener until ctx ends, and then returns nil within five
// seconds: reads end at once, writes may come to their answer. It closes the
// listener.
func (d *Door) Serve(ctx context.Context, listener net.Listener) error {
	places := site.NewPlaces(small{listener}, maxConnections)
	listener = places
	if d.config.TLSCert != "" {
		cert, err := loadCertificate(d.config.TLSCert, d.config.TLSKey, d.parts.Log)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		listener = tls.NewListener(listener, &tls.Config{
			MinVersion: tls.VersionTLS12, GetCertificate: cert.get, NextProtos: []string{"h2", "http/1.1"},
		})
	}
	ctx, stop := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	defer keeping.Wait()
	defer stop()
	if d.keys != nil {
		keeping.Go(func() { d.keys.keep(ctx) })
	}

	server := d.server()
	server.ConnState = places.State
	if err := site.Serve(context.WithValue(ctx, servingKey{}, ctx), server, listener, stopTimeout); err != nil {
		return fmt.Errorf("front door: %w", err)
	}
	return nil
}

func (d *Door) server() *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:   d.Handler(),
		Protocols: protocols,
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: maxStreamsPerConnection},
		// "OPTIONS *" has to pass the gates like anything else.
		DisableGeneralOptionsHandler: true,
		MaxHeaderBytes:               maxHeaderBytes,
		ReadHeaderTimeout:            readHeaderTimeout,
		IdleTimeout:                  idleTimeout,
		ErrorLog:                     slog.NewLogLogger(d.parts.Log.Handler(), slog.LevelDebug),
	}
}
