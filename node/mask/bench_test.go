package mask

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"collie/node/grid"
)

// Texts to measure with. Each is about a mebibyte, but for the screens.

// cleanText is what a terminal shows: coloured build output, listings, boxes.
func cleanText() string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "\x1b[32m✓\x1b[0m internal/server/route_%d_test.go \x1b[2m(%d ms)\x1b[0m\n", i, i%977)
		fmt.Fprintf(&b, "drwxr-xr-x  %d user group  4096 Nov %2d 12:%02d build-%x\n", i%9+1, i%28+1, i%60, i*7919)
		b.WriteString("│ The quick brown fox jumps over the lazy dog while the compiler links objects │\n")
		fmt.Fprintf(&b, "  at processTicksAndRejections (node:internal/process/task_queues:%d:5)\n", i)
	}
	return b.String()
}

// denseText is full of the words beside which secrets stand, and has none.
func denseText() string {
	const block = "The token is a secret key. Password policy: the password must change; tokens expire.\n" +
		"token := parser.nextToken; if token == secretToken { return apiKey }\n" +
		"max_tokens: 4096, token_count=12, password_changed_at: null, secret_name: none\n" +
		"api key, access key, secret key, private key; bearer token, basic auth, passphrase\n"
	return strings.Repeat(block, 1<<20/len(block)+1)
}

// logText has a secret in one line of fifty.
func logText() string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "2026-11-30T13:%02d:%02d.123Z INFO  [http] GET /api/v1/items/%d?page=%d 200 %dms request_id=%08x\n", i/60%60, i%60, i, i%7, i%300, i*2654435761)
		if i%50 == 0 {
			fmt.Fprintf(&b, "2026-11-30T13:00:00.123Z DEBUG [auth] Authorization: Bearer %s%d\n", madeMixed[:40], i)
		}
	}
	return b.String()
}

// bundleText is one long line of minified script.
func bundleText() string {
	const block = `var e=t(4),n=t(9);function r(e,t){return e.token===t.token&&e.type==="keyword"}` +
		`l.exports={a:r,password:function(e){return this.password=e,this},get secret(){return o.secret||null}};` +
		`!function(e){"use strict";for(var t=0,n=e.length;t<n;t++)c[e[t]]=u(e[t].charCodeAt(0)^0x5f,t)}(window);`
	return strings.Repeat(block, 1<<20/len(block)+1)
}

// screen is 200 rows of 200 columns, every tenth row with a secret or none.
func screen(secrets bool) []grid.Row {
	rows := make([]grid.Row, 200)
	for i := range rows {
		plain := fmt.Sprintf("%4d  if err := server.Listen(ctx, address); err != nil { return fmt.Errorf(\"listen: %%w\", err) }", i)
		rows[i].Runs = []grid.Run{{Text: plain, Style: "2"}, {Text: strings.Repeat(" word", 20)}}
		if secrets && i%10 == 0 {
			rows[i].Runs = append(rows[i].Runs, grid.Run{Text: made(" ghp_", madeMixed[:36]), Style: "31"})
		}
	}
	return rows
}

// perScreen reports the processor time of one turn.
func perScreen(b *testing.B) func() {
	var before unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &before)
	return func() {
		var after unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &after)
		b.ReportMetric(float64(after.Nano()-before.Nano())/1e3/float64(b.N), "cpu-µs/op")
	}
}

// perSecond reports the speed in seconds of processor time, which says the same
// on a machine that is busy with other work.
func perSecond(b *testing.B, size int) func() {
	var before unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &before)
	return func() {
		var after unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &after)
		b.ReportMetric(float64(size)*float64(b.N)/1e6/(float64(after.Nano()-before.Nano())/1e9), "MB/cpu-s")
	}
}

func BenchmarkText(b *testing.B) {
	m := New()
	for _, c := range []struct{ name, text string }{
		{"clean", cleanText()},
		{"dense", denseText()},
		{"log", logText()},
		{"bundle", bundleText()},
		{"10000 keys without an end", strings.Repeat(made("-----BEGIN ", "PRIVATE KEY", "-----\n"), 10_000)},
		{"20000 keys without an end", strings.Repeat(made("-----BEGIN ", "PRIVATE KEY", "-----\n"), 20_000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			defer perSecond(b, len(c.text))()
			for b.Loop() {
				m.Text(c.text, Options{})
			}
		})
	}
}

func BenchmarkWrappedText(b *testing.B) {
	m, text := New(), cleanText()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	defer perSecond(b, len(text))()
	for b.Loop() {
		m.Text(text, Options{Width: 80})
	}
}

func BenchmarkScreen(b *testing.B) {
	m := New()
	for _, secrets := range []bool{false, true} {
		rows := screen(secrets)
		b.Run(fmt.Sprintf("secrets=%v", secrets), func(b *testing.B) {
			b.ReportAllocs()
			defer perScreen(b)()
			for b.Loop() {
				m.Rows(rows, nil, &grid.Cursor{Row: 199, Col: 10})
			}
		})
	}
}

// BenchmarkRegexp is what a user would otherwise take: one regular expression
// of the standard library for the same prefixes. It finds prefixed tokens alone.
func BenchmarkRegexp(b *testing.B) {
	var all []string
	for _, f := range families {
		for _, prefix := range f.prefixes {
			all = append(all, regexp.QuoteMeta(prefix))
		}
	}
	expression := regexp.MustCompile("(?:" + strings.Join(all, "|") + ")[0-9A-Za-z_.-]{16,}")
	for _, c := range []struct{ name, text string }{{"clean", cleanText()}, {"dense", denseText()}, {"log", logText()}} {
		text := []byte(c.text[:64<<10])
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			defer perSecond(b, len(text))()
			for b.Loop() {
				expression.FindAllIndex(text, -1)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New()
	}
}
