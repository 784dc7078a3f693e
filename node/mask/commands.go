package mask

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// A command is a program whose options say for sure that the text behind them is
// a password. What a letter means is the program's affair: -p is the password of
// mysql, and the port of ssh.
type command struct {
	name     string
	programs []string
	// after are the words that have to come first, such as login.
	after []string
	// first says that the option is the program's first word: another command
	// follows, which has options of its own.
	first bool
	// apart are the options whose value is the next word, or behind an = for a
	// long one; glued those whose value follows at once.
	apart, glued []string
	// pair stands between a user and the password, if the value is both.
	pair byte
	// head is what a value begins with that is the password itself, and not
	// where it is.
	head string
	// example has « and » around what is hidden; counter is left alone.
	example, counter string
}

var commands = []command{
	{
		name: "client of MySQL", glued: []string{"-p"},
		programs: []string{"mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mysqlcheck", "mysqlslap", "mariadb", "mariadb-dump", "mariadb-admin"},
		example:  "mysql -u root -p" + "«hunter2» shop", counter: "mysql -u root -p shop",
	},
	{
		name: "sshpass", programs: []string{"sshpass"}, first: true, apart: []string{"-p"}, glued: []string{"-p"},
		example: "sshpass -p " + "«hunter2» ssh -p 2222 me@example.com", counter: "sshpass -e ssh -p 2222 me@example.com",
	},
	{
		name: "client of Redis", programs: []string{"redis-cli", "valkey-cli", "keydb-cli"}, apart: []string{"-a", "--pass"},
		example: "redis-cli -h cache -a " + "«hunter2» ping", counter: "redis-cli -h cache -p 6380 ping",
	},
	{
		name: "login to a registry", after: []string{"login"}, apart: []string{"-p", "--password"}, glued: []string{"-p"},
		programs: []string{"docker", "podman", "nerdctl", "buildah", "skopeo"},
		example:  "docker login -u me -p " + "«hunter2» registry.example.com", counter: "docker run --name login -p 8080:80 nginx",
	},
	{
		name: "login of Helm", after: []string{"registry", "login"}, apart: []string{"-p", "--password"}, programs: []string{"helm"},
		example: "helm registry login -u me -p " + "«hunter2» registry.example.com", counter: "helm plugin list -p hunter2",
	},
	{
		name: "configuration of AWS", after: []string{"configure", "set"}, apart: []string{"aws_secret_access_key", "aws_session_token"}, programs: []string{"aws"},
		example: "aws configure set aws_secret_access_key " + "«q7Rw2Lk9Zx/4Tn8Vb3Hs6Yd1»", counter: "aws configure set region eu-west-1",
	},
	{
		name: "client of MongoDB", apart: []string{"-p", "--password"},
		programs: []string{"mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"},
		example:  "mongosh -u me -p " + "«hunter2» shop", counter: "mongosh -u me -p --authenticationDatabase admin",
	},
	{
		name: "client of SQL Server", programs: []string{"sqlcmd", "bcp"}, apart: []string{"-P"}, glued: []string{"-P"},
		example: "sqlcmd -S db -U sa -P " + "«hunter2»", counter: "sqlcmd -S db -U sa -p 1",
	},
	{
		name: "client of LDAP", programs: []string{"ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"},
		apart: []string{"-w"}, glued: []string{"-w"},
		example: "ldapsearch -x -D cn=me -w " + "«hunter2» -b dc=example", counter: "ldapsearch -x -D cn=me -W -b dc=example",
	},
	{
		name: "user of curl", programs: []string{"curl"}, pair: ':', glued: []string{"-u"},
		apart:   []string{"-u", "--user", "-U", "--proxy-user", "-su", "-sSu", "-ku", "-sku", "-vu", "-Lu", "-sLu", "-fsSLu"},
		example: "curl -u admin:" + "«hunter2» https://example.com", counter: "curl -u admin https://example.com:8080",
	},
	{
		name: "user of a share", programs: []string{"smbclient", "rpcclient", "smbget"}, pair: '%', apart: []string{"-U", "--user"}, glued: []string{"-U"},
		example: "smbclient //nas/home -U me%" + "«hunter2»", counter: "smbclient //nas/home -U me",
	},
	{
		name: "user of lftp", programs: []string{"lftp"}, pair: ',', apart: []string{"-u", "--user"},
		example: "lftp -u me," + "«hunter2» example.com", counter: "lftp -p 2121 example.com",
	},
	{
		name: "archive", programs: []string{"zip", "unzip"}, apart: []string{"-P"},
		example: "unzip -P " + "«hunter2» a.zip", counter: "unzip -p a.zip readme.txt",
	},
	{
		name: "archive of 7-Zip or RAR", programs: []string{"7z", "7za", "7zr", "7zz", "unrar"}, glued: []string{"-p"},
		example: "7z x -p" + "«hunter2» a.7z", counter: "7z x -p a.7z",
	},
	{
		name: "pass phrase of OpenSSL", programs: []string{"openssl", "apksigner"}, head: "pass:",
		apart:   []string{"-pass", "-passin", "-passout", "--ks-pass", "--key-pass"},
		example: "openssl rsa -in a.pem -passin pass:" + "«hunter2»", counter: "openssl rsa -in a.pem -passin env:PASSPHRASE",
	},
	{
		name: "key store of Java", programs: []string{"keytool", "jarsigner"},
		apart:   []string{"-storepass", "-keypass", "-srcstorepass", "-deststorepass", "-destkeypass"},
		example: "keytool -list -storepass " + "«hunter2»", counter: "keytool -list -storepass:env STOREPASS",
	},
	{
		name: "client of MQTT", programs: []string{"mosquitto_pub", "mosquitto_sub", "mosquitto_rr"}, apart: []string{"-P", "--pw"},
		example: "mosquitto_sub -u me -P " + "«hunter2» -t '#'", counter: "mosquitto_sub -p 1883 -t '#'",
	},
	{
		name: "upload of a package", programs: []string{"twine"}, after: []string{"upload"}, apart: []string{"-p"},
		example: "twine upload -u me -p " + "«hunter2» dist/x.whl", counter: "twine check dist/x.whl",
	},
	{
		name: "wireless network", programs: []string{"nmcli"}, apart: []string{"password", "wifi-sec.psk", "802-11-wireless-security.psk"},
		example: "nmcli dev wifi connect home password " + "«hunter22»", counter: "nmcli dev wifi list",
	},
	{
		name: "remote desktop", programs: []string{"xfreerdp", "wlfreerdp", "xfreerdp3"}, glued: []string{"/p:"},
		example: "xfreerdp /u:me /p:" + "«hunter2» /v:example.com", counter: "xfreerdp /port:3389 /v:example.com",
	},
}

// optionName stands for the name that an option is.
var optionName = &name{words: []string{""}, chosen: true}

// command judges the options of the program that is named at text[at:end].
func (e *examiner) command(c *command, at, end int) {
	if !e.begins(at) || at > 0 && strings.IndexByte(".:@,", e.text[at-1]) >= 0 || e.isNamed(at) {
		return
	}
	if end < len(e.text) && e.text[end] == '.' && hasPrefix(e.text[end:], ".exe") {
		end += len(".exe")
	}
	if _, listed := e.listed(end); !listed && (end == len(e.text) || !isBlank(e.text[end])) {
		return
	}
	limit := min(len(e.text), end+maxCommand)
	defer func(from int) { e.work += end - from }(end)
	after := c.after
	for {
		from, more := e.nextWord(end, limit)
		if !more {
			return
		}
		to := e.run(visible, from)
		if to == from { // five dashes end everything
			return
		}
		whole := e.unquoted(from, to)
		word := e.text[from:whole]
		end = to
		switch {
		case slices.Contains(c.programs, string(word)):
			return // which is judged on its own
		case len(word) == 0:
		case len(after) > 0 && string(word) != after[0]:
			return
		case len(after) > 0:
			after = after[1:]
		default:
			if next, found := e.option(c, from, whole); found {
				end = max(end, min(next, limit))
			} else if c.first {
				return
			}
		}
		if e.endsCommand(whole, to) {
			return
		}
	}
}

// isNamed reports whether what is at text[at] is the value of a long option, and
// no program: docker run --name mongo.
func (e *examiner) isNamed(at int) bool {
	head := e.before(at, maxContext)
	word := bytes.TrimRight(head, " \t")
	if len(word) == len(head) {
		return false
	}
	word = word[bytes.LastIndexAny(word, " \t")+1:]
	return hasPrefix(word, "--") && bytes.IndexByte(word, '=') < 0
}

// nextWord returns where the next word of a command begins, without the quotes
// before it: words may be those of a list in JSON or YAML. A command goes on in
// the next line behind a backslash.
func (e *examiner) nextWord(i, limit int) (from int, more bool) {
	for i < limit {
		switch b := e.text[i]; {
		case isBlank(b) || isQuote(b) || b == ',':
			i++
		case b == '\\':
			if i++; i < limit && e.text[i] == '\r' {
				i++
			}
			if i < limit && e.text[i] == '\n' {
				i++
			}
		case b == '\n' || b == '\r' || b == ';' || b == '|' || b == '&' || b == ')' || b == ']':
			return i, false
		default:
			return i, true
		}
	}
	return i, false
}

// endsCommand reports whether a command ends with the word that goes to to, of
// which text[whole:to] was cut off.
func (e *examiner) endsCommand(whole, to int) bool {
	rest := e.text[whole:to]
	return hasPrefix(rest, ";") || hasPrefix(rest, ")") || hasPrefix(rest, "]") || hasPrefix(rest, `\n`) || hasPrefix(rest, `\r`)
}

// option judges the word of a command at text[at:end], and returns where what is
// behind it ends.
func (e *examiner) option(c *command, at, end int) (next int, found bool) {
	word := e.text[at:end]
	for _, o := range c.apart {
		if string(word) == o {
			return e.behind(c, at, end)
		}
		if strings.HasPrefix(o, "--") && hasPrefix(word, o) && word[len(o)] == '=' {
			return e.optionValue(c, &assignment{at: at}, at+len(o)+1), true
		}
	}
	for _, o := range c.glued {
		if hasPrefix(word, o) && len(word) > len(o) {
			return e.optionValue(c, &assignment{at: at}, at+len(o)), true
		}
	}
	return 0, false
}

// behind judges the word behind the option at text[at:end].
func (e *examiner) behind(c *command, at, end int) (next int, found bool) {
	a := assignment{at: at}
	from := e.blanks(end)
	if from == end {
		if end, a.closed = e.listed(end); !a.closed {
			return end, true
		}
		from = e.blanks(end)
	}
	return e.optionValue(c, &a, from), true
}

// listed returns what follows the quote and the comma behind a word of a list:
// "redis-cli", "-a", "password".
func (e *examiner) listed(end int) (next int, listed bool) {
	next = end
	for next < len(e.text) && next < end+4 && e.text[next] == '\\' {
		next++
	}
	if next+1 < len(e.text) && isQuote(e.text[next]) && e.text[next+1] == ',' {
		return next + 2, true
	}
	return end, false
}

// optionValue judges the value of an option that begins at text[i], and returns
// where it ends.
func (e *examiner) optionValue(c *command, a *assignment, i int) (next int) {
	a.name, a.sign = optionName, flag
	next = e.readValue(a, i)
	if a.from >= a.to || e.text[a.from] == '-' {
		return i
	}
	if value := e.text[a.from:a.to]; !hasPrefix(value, c.head) || bytes.IndexByte(value, ':') > 0 && amount(value) {
		return next // ports of a container, or who runs it
	}
	a.from += len(c.head)
	if c.pair != 0 {
		sign := bytes.IndexByte(e.text[a.from:min(a.to, a.from+maxJudged)], c.pair)
		if sign < 0 {
			return next
		}
		if a.from += sign + 1; a.from < a.to && isQuote(e.text[a.from]) {
			a.from++
		}
	}
	value := e.text[a.from:a.to]
	typed := e.live(a.from, next) && !hasMark(e.text[a.from:min(next, a.from+maxQuoted)])
	if typed || credible(value) && !isSpoken(value) {
		e.hideValue(a.from, a.to)
	}
	return next
}

// credible reports whether a text that stands where a password has to be is one.
func credible(password []byte) bool {
	return utf8.RuneCount(password) >= leastPassword && !hasMark(password) && !refers(password) && !stands(password) && !says(password) &&
		len(bytes.Trim(password, "x*")) > 0
}

// isSpoken reports whether a word goes on about an option, where somebody writes
// about it.
func isSpoken(value []byte) bool {
	for _, spoken := range []string{"option", "flag", "switch", "argument", "parameter", "and", "the", "for", "with", "instead"} {
		if string(value) == spoken {
			return true
		}
	}
	return false
}
