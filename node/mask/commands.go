package mask

// A command is a program that is given a password: behind an option, in a place of
// its own among its words, or from a pipe. What a letter means is the program's
// affair: -p is the password of mysql, and the port of ssh.
type command struct {
	name     string
	programs []string
	// after are the words that have to come first, such as login.
	after []string
	// first says that the options are the program's first words: another command
	// follows, which has options of its own.
	first bool
	// apart are the options whose value is the next word, or behind an = for a
	// long one; glued those whose value follows at once. One with a * is the end of
	// a word.
	apart, glued []string
	// operand says which of the words that are no options is the password, from 1
	// on; 0: none. It is the last one, unless it has a form (pair). Without the short
	// options in flags it is none. takes are the options and words that have a value
	// behind them.
	operand int
	flags   string
	takes   []string
	// piped are the options, or words, with which a program reads the password from
	// its standard input; "" is one that always does.
	piped []string
	// pair stands between a user and the password, if the value is both; what follows
	// a second character ends it.
	pair string
	// head is what a value begins with that is the password itself, and not
	// where it is.
	head string
	// quoted says that the value stands in single quotes, where prose has the same words.
	quoted bool
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
		name: "sshpass", programs: []string{"sshpass"}, first: true, apart: []string{"-p"}, glued: []string{"-p"}, takes: []string{"-f", "-d", "-P"},
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
		name: "user of curl", programs: []string{"curl"}, pair: ":", glued: []string{"-u"},
		apart:   []string{"-u", "--user", "-U", "--proxy-user", "-su", "-sSu", "-ku", "-sku", "-vu", "-Lu", "-sLu", "-fsSLu"},
		example: "curl -u admin:" + "«hunter2» https://example.com", counter: "curl -u admin https://example.com:8080",
	},
	{
		name: "user of a share", programs: []string{"smbclient", "rpcclient", "smbget"}, pair: "%", apart: []string{"-U", "--user"}, glued: []string{"-U"},
		example: "smbclient //nas/home -U me%" + "«hunter2»", counter: "smbclient //nas/home -U me",
	},
	{
		name: "user of lftp", programs: []string{"lftp"}, pair: ",", apart: []string{"-u", "--user"},
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
	{
		name: "reader of a password", programs: []string{"sudo"}, first: true, piped: []string{"-S", "--stdin"},
		takes:   []string{"-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-r", "-t", "-U", "--user", "--group", "--prompt"},
		example: "echo " + "«hunter2» | sudo -S apt update", counter: "echo hunter2 | sudo tee -S file",
	},
	{
		name: "change of a password", programs: []string{"passwd", "smbpasswd", "saslpasswd2", "vncpasswd", "kinit", "cryptsetup", "secret-tool", "systemd-creds"},
		piped:   []string{""},
		example: "printf '%s\\n' " + "«hunter2» | passwd --stdin me", counter: "cat file | passwd --stdin me",
	},
	{
		name: "change of passwords", programs: []string{"chpasswd"}, piped: []string{""}, pair: ":",
		example: "echo me:" + "«hunter2» | sudo chpasswd", counter: "echo $LINE | sudo chpasswd",
	},
	{
		name: "login that reads", after: []string{"login"}, piped: []string{"--password-stdin"},
		programs: []string{"docker", "podman", "nerdctl", "buildah", "skopeo", "cosign"},
		example:  "echo '" + "«hunter2»' | docker login -u me --password-stdin", counter: "echo hunter2 | docker run -i alpine --password-stdin",
	},
	{
		name: "login of Helm that reads", after: []string{"registry", "login"}, piped: []string{"--password-stdin"}, programs: []string{"helm"},
		example: "echo " + "«hunter2» | helm registry login --password-stdin x", counter: "echo hunter2 | helm plugin --password-stdin",
	},
	{
		name: "login of a forge that reads", after: []string{"auth", "login"}, piped: []string{"--with-token", "--stdin"}, programs: []string{"gh", "glab"},
		example: "gh auth login --with-token <<< " + "«hunter2»", counter: "gh auth login --web <<< hunter2",
	},
	{
		name: "secret of a forge", after: []string{"secret", "set"}, piped: []string{""}, apart: []string{"--body", "-b"}, programs: []string{"gh"},
		example: "gh secret set NAME --body " + "«hunter2»", counter: "gh secret list --json name",
	},
	{
		name: "secret of a worker", after: []string{"secret", "put"}, piped: []string{""}, programs: []string{"wrangler"},
		example: "echo " + "«hunter2» | npx wrangler secret put NAME", counter: "echo hunter2 | npx wrangler deploy",
	},
	{
		name: "secret of a container", after: []string{"secret", "create"}, piped: []string{"-"}, programs: []string{"docker", "podman"},
		example: "printf " + "«hunter2» | docker secret create name -", counter: "docker secret create name file",
	},
	{
		name: "secret of a cluster", after: []string{"create", "secret", "generic"}, apart: []string{"--from-literal"}, pair: "=", programs: []string{"kubectl"},
		example: "kubectl create secret generic db --from-literal=pin=" + "«hunter2»", counter: "kubectl create secret generic db --from-file=pin=file",
	},
	{
		name: "pass phrase of GnuPG", programs: []string{"gpg", "gpg2"}, apart: []string{"--passphrase"}, piped: []string{"--passphrase-fd"},
		example: "gpg --batch --passphrase " + "«hunter2» -d a.gpg", counter: "gpg --passphrase-file file -d a.gpg",
	},
	{
		name: "mount that reads", programs: []string{"sshfs", "openconnect"}, piped: []string{"password_stdin", "--passwd-on-stdin"},
		example: "echo " + "«hunter2» | sshfs me@example.com: dir -o password_stdin", counter: "echo hunter2 | sshfs me@example.com: dir",
	},
	{
		name: "password file of a web server", programs: []string{"htpasswd"}, operand: 3, flags: "b", takes: []string{"-C", "-r"}, piped: []string{"-i"},
		example: "htpasswd -cb .htpasswd me " + "«hunter2»", counter: "htpasswd .htpasswd me other",
	},
	{
		name: "password for a web server", programs: []string{"htpasswd"}, operand: 2, flags: "nb", takes: []string{"-C", "-r"},
		example: "htpasswd -bnBC 10 me " + "«hunter2» > file", counter: "htpasswd -n me other",
	},
	{
		name: "password file of MQTT", programs: []string{"mosquitto_passwd"}, operand: 3, flags: "b", takes: []string{"-H"},
		example: "mosquitto_passwd -b file me " + "«hunter2»", counter: "mosquitto_passwd -c file me",
	},
	{
		name: "user of RabbitMQ", programs: []string{"rabbitmqctl"}, after: []string{"add_user"}, operand: 2,
		example: "rabbitmqctl add_user me " + "«hunter2»", counter: "rabbitmqctl set_user_tags me administrator",
	},
	{
		name: "password of RabbitMQ", programs: []string{"rabbitmqctl"}, after: []string{"change_password"}, operand: 2,
		example: "rabbitmqctl change_password me " + "«hunter2»", counter: "rabbitmqctl list_users me administrator",
	},
	{
		name: "new password of MySQL", programs: []string{"mysqladmin", "mariadb-admin"}, after: []string{"password"}, operand: 1,
		takes:   []string{"-u", "-h", "-P", "-S"},
		example: "mysqladmin -u root password " + "«hunter2»", counter: "mysqladmin -u root status",
	},
	{
		name: "password of a share", programs: []string{"smbclient"}, operand: 2, takes: []string{"-U", "-c", "-W", "-I", "-p", "-D", "-m", "-d"},
		example: "smbclient //nas/home " + "«hunter2» -U me", counter: "smbclient //nas/home -c 'get file'",
	},
	{
		name: "key of a wireless network", programs: []string{"wpa_passphrase"}, operand: 2,
		example: "wpa_passphrase home " + "«hunter22» >> file", counter: "wpa_passphrase home",
	},
	{
		name: "client of Oracle", programs: []string{"sqlplus", "impdp", "expdp", "sqlldr"}, operand: 1, pair: "/@",
		example: "sqlplus -S me/" + "«hunter2»@db @file.sql", counter: "sqlplus / as sysdba",
	},
	{
		name: "store of MinIO", programs: []string{"mc", "mcli"}, after: []string{"alias", "set"}, operand: 4,
		example: "mc alias set my http://nas:9000 admin " + "«hunter2» --api S3v4", counter: "mc alias list my",
	},
	{
		name: "vault of Bitwarden", programs: []string{"bw"}, after: []string{"unlock"}, operand: 1, takes: []string{"--passwordenv", "--passwordfile", "--session"},
		example: "bw unlock " + "«hunter2» --raw", counter: "bw unlock --passwordenv NAME",
	},
	{
		name: "login of Bitwarden", programs: []string{"bw"}, after: []string{"login"}, operand: 2, takes: []string{"--method", "--code", "--passwordenv", "--passwordfile"},
		example: "bw login me@example.com " + "«hunter2»", counter: "bw login me@example.com",
	},
	{
		name: "password of a remote of rclone", programs: []string{"rclone"}, after: []string{"obscure"}, operand: 1, piped: []string{"-"},
		example: "rclone obscure " + "«hunter2»", counter: "rclone copy one two",
	},
	{
		name: "password that is hashed", programs: []string{"openssl"}, after: []string{"passwd"}, operand: 1, takes: []string{"-salt"}, piped: []string{"-stdin"},
		example: "openssl passwd -6 -salt abc " + "«hunter2»", counter: "openssl x509 -in a.pem",
	},
	{
		name: "password that is hashed for a server", programs: []string{"caddy", "doveadm", "slappasswd"}, apart: []string{"--plaintext", "-s", "-p"},
		example: "caddy hash-password --plaintext " + "«hunter2»", counter: "caddy run --config file",
	},
	{
		name: "password of Redis", programs: []string{"requirepass", "masterauth"}, operand: 1,
		example: "CONFIG SET requirepass " + "«hunter2»", counter: "requirepass $PASSWORD",
	},
	{
		name: "password in SQL", programs: []string{"IDENTIFIED"}, first: true, apart: []string{"BY"}, takes: []string{"WITH"}, quoted: true,
		example: "CREATE USER me IDENTIFIED BY '" + "«hunter2»';", counter: "ALTER USER me IDENTIFIED EXTERNALLY",
	},
	{
		name: "key of SSH", programs: []string{"ssh-keygen"}, apart: []string{"-N", "-P"},
		example: "ssh-keygen -t ed25519 -N '" + "«hunter2»' -f key", counter: "ssh-keygen -t ed25519 -N '' -f key",
	},
	{
		name: "client with -p", programs: []string{"cqlsh", "cypher-shell", "rabbitmqadmin", "rdesktop", "evil-winrm", "nxc"}, apart: []string{"-p", "--password"},
		example: "cqlsh -u me -p " + "«hunter2» host", counter: "cqlsh -u me host",
	},
	{
		name: "login to a cloud", programs: []string{"az"}, after: []string{"login"}, apart: []string{"-p", "--password"},
		example: "az login -u me -p " + "«hunter2»", counter: "az group list -p value",
	},
	{
		name: "secret of a cloud", programs: []string{"aws"}, apart: []string{"--secret-string", "--master-user-password"},
		example: "aws secretsmanager put-secret-value --secret-id x --secret-string " + "«hunter2»", counter: "aws secretsmanager get-secret-value --secret-id x",
	},
	{
		name: "secret of a vault", programs: []string{"az"}, after: []string{"keyvault", "secret", "set"}, apart: []string{"--value"},
		example: "az keyvault secret set --name x --value " + "«hunter2»", counter: "az keyvault secret show --name x",
	},
	{
		name: "controller of a machine", programs: []string{"ipmitool"}, apart: []string{"-P"},
		example: "ipmitool -H bmc -U me -P " + "«hunter2» chassis status", counter: "ipmitool -H bmc -U me -E chassis status",
	},
	{
		name: "agent of SNMP", programs: []string{"snmpwalk", "snmpget", "snmpset", "snmpbulkwalk"}, apart: []string{"-A", "-X"},
		example: "snmpwalk -v3 -u me -A " + "«hunter22» host", counter: "snmpwalk -v2c -c public host",
	},
	{
		name: "download", programs: []string{"wget"}, apart: []string{"--password", "--http-password", "--ftp-password", "--proxy-password"},
		example: "wget --user me --password " + "«hunter2» https://example.com", counter: "wget -p https://example.com",
	},
	{
		name: "user of HTTPie", programs: []string{"http", "https", "xh", "xhs"}, pair: ":", apart: []string{"-a", "--auth"},
		example: "http -a me:" + "«hunter2» example.com", counter: "http -b example.com:8080",
	},
	{
		name: "pages with a password", programs: []string{"pdftotext", "pdfinfo", "pdftoppm"}, apart: []string{"-upw", "-opw"},
		example: "pdftotext -upw " + "«hunter2» a.pdf", counter: "pdftotext -u a.pdf",
	},
	{
		name: "pages that are decrypted", programs: []string{"qpdf", "pdftk"}, apart: []string{"--password", "input_pw", "owner_pw", "user_pw"},
		example: "qpdf --decrypt --password=" + "«hunter2» a.pdf b.pdf", counter: "qpdf --linearize a.pdf b.pdf",
	},
	{
		name: "registry of npm", programs: []string{"npm", "pnpm", "yarn"}, after: []string{"config", "set"}, apart: []string{"*:_authToken", "*:_password", "_auth", "_authToken", "npmAuthToken"},
		example: "npm config set //npm.example.com/:_authToken " + "«hunter2»", counter: "npm config set registry https://example.com",
	},
	{
		name: "registry of Python", programs: []string{"poetry"}, after: []string{"config"}, apart: []string{"*pypi-token.pypi"},
		example: "poetry config pypi-token.pypi " + "«hunter2»", counter: "poetry config virtualenvs.create false",
	},
	{
		name: "key chain of macOS", programs: []string{"add-generic-password", "add-internet-password", "unlock-keychain"}, apart: []string{"-w", "-p"},
		example: "security add-generic-password -a me -s x -w " + "«hunter2»", counter: "security find-generic-password -a me -w",
	},
}

// printers are the programs that write their words into a pipe.
var printers = []string{"echo ", "printf "}
