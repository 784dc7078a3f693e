package mask

import (
	"strings"
	"testing"

	"collie/node/grid"
)

// Guillemets stand around what must be hidden.
func TestPasswordBehindAnOptionIsHiddenWhereverTheCommandStands(t *testing.T) {
	t.Parallel()
	m := New()
	for _, c := range commands {
		for _, around := range [][2]string{
			{"", ""},
			{"$ ", "\n$ "},
			{"~/src % sudo ", ""},
			{"/usr/bin/", ""},
			{"+ ", ""}, // sh -x
			{"+", "\n"},
			{"-", "\n"}, // diff
			{"ssh host '", "'"},
			{"`", "`"},
			{"$(", ")"},
			{"a | ", " | b"},
			{"a && ", " && b"},
			{`{"cmd": "`, `", "n": 1}`},
			{`{\"cmd\":\"`, `\"}`},
			{`"a\n`, `\nb"`},
			{"run: ", "\n"},
			{"  - ", "\n"}, // YAML
			{"", "\r\n"},
			{"", " # why\n"},
			{"", "; exit\n"},
			{"RUN ", " \\\n  --more"},
		} {
			text, want := guillemets(around[0] + c.example + around[1])
			if got, _ := m.Text(text, Options{}); got != want {
				t.Errorf("%s: %q became %q", c.name, text, got)
			}
			if again, found := m.Text(want, Options{}); found {
				t.Errorf("%s: masked again: %q became %q", c.name, want, again)
			}
		}
		text, want := guillemets(c.example)
		shown := []rune(want)
		for width := 2; width <= len(text); width++ {
			var rows []grid.Row
			for from := 0; from < len(text); from += width {
				to := min(from+width, len(text))
				rows = append(rows, row(to < len(text), text[from:to], ""))
			}
			masked, _ := m.Rows(rows, nil, nil)
			var got strings.Builder
			for _, r := range masked {
				got.WriteString(r.Text())
			}
			if got.String() != want {
				t.Errorf("%s: at width %d: %q", c.name, width, got.String())
			}
		}
		for i := range len(text) + 1 {
			coloured := text[:i] + "\x1b[1;31m" + text[i:] + "\x1b[m"
			if got, _ := m.Text(coloured, Options{}); got != string(shown[:i])+"\x1b[1;31m"+string(shown[i:])+"\x1b[m" {
				t.Errorf("%s: coloured at %d: %q", c.name, i, got)
			}
		}
	}
}

func TestOptionsAreReadAsTheirProgramReadsThem(t *testing.T) {
	t.Parallel()
	m := New()
	for _, c := range []struct{ why, text string }{
		{"in quotes", "mysql -u root -p'«hunter2»' shop"},
		{"with blanks, in quotes", `sshpass -p "«correct horse»" ssh host`},
		{"list of JSON", `["mysqladmin", "ping", "-p«hunter2»"]`},
		{"list of JSON, apart", `["redis-cli", "-a", "«hunter2»", "ping"]`},
		{"list of JSON in JSON", `[\"redis-cli\", \"-a\", \"«hunter2»\"]`},
		{"over lines", "docker login \\\n  -u me \\\n  -p «hunter2»"},
		{"long, with a sign", "docker login --password=«hunter2» -u me"},
		{"within another command", "docker exec db mysqldump -u root -p«hunter2» shop > a.sql"},
		{"two passwords", "sshpass -p «hunter2» ssh host mysql -p«hunter3» shop"},
		{"user and password of a proxy", "curl -U me:«hunter2» -u you:'«hunter3»' https://example.com"},
		{"below an option", "run --login\n  mysql -p«hunter2»"},
		{"of figures", "mysql -u root -p«123456» shop"},
		{"in another's container", "docker exec -it mongo mongosh -u root -p «hunter2»"},
		{"a token", "docker login -u me -p dckr_pat_«" + madeMixed[:27] + "»"},
		{"program of Windows", `C:\bin\mysql.exe -p«hunter2»`},
		{"in the last place of several", "htpasswd -c -b -C 10 /etc/nginx/.htpasswd me '«correct horse»' 2>/dev/null"},
		{"in the last place of a list", `["mosquitto_passwd", "-b", "file", "me", "«hunter2»"]`},
		{"before other options", "mc alias set my http://nas admin «hunter2» --api S3v4 --path auto"},
		{"user and password of Oracle", `impdp "system/«hunter2»@db" dumpfile=a.dmp`},
		{"from a pipe", `echo -n "«correct horse»" | sudo -kS -p '' apt update`},
		{"from a pipe, for what sudo runs", "printf '%s' «hunter2» | sudo docker login --password-stdin -u me"},
		{"from a pipe, without a format", `printf '«hunter2\n»' | sudo -S true`},
		{"from a pipe, twice", "(echo «hunter2»; echo '«hunter2»') | smbpasswd -s -a me"},
		{"from a pipe, with signs in it", "echo 'a;b' && echo '«a;b&c|d»' | sudo -S id"},
		{"from a pipe, over SSH", "echo «hunter2» | ssh host 'sudo -S id'"},
		{"from a here-string", "sudo -S id <<< «hunter2»"},
		{"from a here-string in quotes", `docker login -u me --password-stdin <<<"«correct horse»" example.com`},
		{"user and password from a pipe", `echo "root:«hunter2»" | chpasswd -e`},
		{"any key of a secret", "kubectl create secret generic db --from-literal=a=«hunter2» --from-literal 'b=«hunter3»'"},
		{"SQL", "ALTER USER me@'%' IDENTIFIED WITH caching_sha2_password BY '«hunter2»';"},
		{"variable of PostgreSQL", "PGPASSWORD=«abc123» psql -h db"},
		{"variable of Redis", "export REDISCLI_AUTH=«a,b»"},
		{"variable of sshpass", "SSHPASS='«p w»' sshpass -e ssh host"},
	} {
		text, want := guillemets(c.text)
		if got, _ := m.Text(text, Options{}); got != want {
			t.Errorf("%s: %q\n got %q\nwant %q", c.why, text, got, want)
		}
	}
	for _, text := range []string{
		"mysql -p shop", "mysql -u root -p", "mysqldump -P 3306 shop", "ssh -p 22 host", "cp -p a b", "mkdir -p a/b/c", "ps -p 1234",
		"sshpass -e ssh -p 2222 host", "sshpass -f file ssh -p 2222 host", "sshpass -p $PW ssh host", `sshpass -p "$(pass show host)" ssh host`,
		"docker run -p 8080:80 nginx", "docker login -u me --password-stdin < file && docker run -p 8080:80 nginx", "docker login -u me\ndocker run -p 8080:80 nginx",
		"docker run -d --name mongo -p 27017:27017 mongo", "docker run --link mongo:mongo -p 127.0.0.1:8081:8081 x", "docker run --name mysql -p3306:3306 mysql",
		"docker run --name login -p 8080:80 nginx", "docker run --network mongo -p 27017 x", "docker run -u 1000:1000 curl -u 1000:1000",
		"7z -----BEGIN", "mysql ---------- -p", "docker compose -p project up", "redis-cli -a $REDIS_PASSWORD ping", "redis-cli -p 6379 -a", "see mysql(1) -p for it",
		"curl -u me https://example.com:8080", "curl -u : --negotiate https://example.com", "curl -u $USER:$PASS https://example.com",
		"unzip -p a.zip file", "openssl enc -pass env:PASSPHRASE", "openssl enc -pass file:/run/secret", "7z x a.7z -p", "mysql_config -pkglibdir",
		"mysqld --port=3306", "the redis-cli -a option", "mysql -p<password> shop", "mysql -pxxxxxx shop", "mysql -p•••••• shop", "mongosh -p --host db",
		"use htpasswd -b to add users to the file", "htpasswd -b file me $PASSWORD", "htpasswd -bn me", "echo start; cat file | sudo -S id", "echo hunter2 | tee file | sudo tee x",
		"echo $PASSWORD | sudo -S id", "echo hunter2 | sudo ls -S", "cat | sudo -S id # echo hunter2", "sqlplus /nolog", "sqlplus @a/b.sql", "sudo -S id <<< $PASSWORD",
		"echo hunter2 > file; sudo -S id", "grep passwd file | sort", "bw unlock command", "wrangler secret put NAME", "passwd me",
		"the model is IDENTIFIED BY its name", "mc alias set my http://nas", "openssl passwd -6", "printf '%s' \"$X\" | chpasswd",
		`args = ["sshpass", "-p", password, "ssh"]`, `"sshpass -p " + password + " ssh"`, `fmt.Sprintf("mysql -p%s", password)`, "`redis-cli -a ${password} ping`",
	} {
		if got, found := m.Text(text, Options{}); found {
			t.Errorf("%q became %q", text, got)
		}
	}
}
