package mask

// A structure is a kind of secret that is known by what it stands in.
type structure struct {
	name     string
	literals []string
	fold     bool // upper and lower case are one
	kind     kind
	// example has « and » around what is hidden; counter is left alone.
	example, counter string
}

var structures = []structure{
	{
		name: "JSON Web Token", literals: []string{"eyJ"}, kind: jwtKind,
		example: "eyJ" + "«hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + madeMixed[:43] + "»", counter: "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0=",
	},
	{
		name: "password in a URL", literals: []string{"://", `:\/\/`}, kind: urlKind,
		example: "mongodb+srv://app:" + "«hunter2»@cluster0.example.net/db", counter: "https://user:${PASSWORD}@example.com:8080/@a",
	},
	{
		name: "password in a URL in a URL", literals: []string{"%3a%2f%2f"}, fold: true, kind: codedURLKind,
		example: "?u=postgres%3A%2F%2Fapp%3A" + "«hunter2»%40db.example.com%3A5432%2Fdb", counter: "?u=https%3A%2F%2Fexample.com%3A8080%2F%40a",
	},
	{
		name: "bearer credential", literals: []string{"bearer"}, fold: true, kind: bearerKind,
		example: "Bearer " + "«" + madeMixed[:32] + "»", counter: "Bearer authentication-mechanism",
	},
	{
		name: "basic credential", literals: []string{"basic"}, fold: true, kind: basicKind,
		example: "Basic " + "«dXNlcjpodW50ZXIyaHVudGVyMg==»", counter: "Basic authentication",
	},
	{
		name: "cookie of a session", literals: []string{"cookie", " -b "}, fold: true, kind: cookieKind,
		example: "Cookie: theme=dark; sid=" + "«" + madeHex[:32] + "»; lang=en", counter: "Cookie: theme=dark; lang=en",
	},
	{
		name: "shared access signature", literals: []string{"sig="}, kind: signatureKind,
		example: "?sv=2026-01-01&se=2026-12-31&sr=b&sig=" + "«" + madeMixed[:40] + "%3D»&sp=r", counter: "?sig=" + madeMixed[:40],
	},
	{
		name: "line of .pgpass", literals: []string{":5432:", ":5433:", ":6432:", ":*:"}, kind: pgpassKind,
		example: "db.example.com:5432:app:me:" + "«hunter2»", counter: "docker run -p 127.0.0.1:5432:5432",
	},
	{
		name: "PuTTY key", literals: []string{"Private-Lines: "}, kind: puttyKind,
		example: "Private-Lines: 2\n" + "«" + madeMixed[:64] + "»\n«" + madeMixed[:20] + "»\nPrivate-MAC: 4f9a", counter: "Public-Lines: 1\n" + madeMixed[:64],
	},
	{
		name: "private key", literals: []string{armourBegin}, kind: beginKind,
		example: "-----BEGIN PRIVATE KEY-----\n" + "«" + madeMixed[:64] + "»\n-----END PRIVATE KEY-----", counter: "-----BEGIN CERTIFICATE-----\n" + madeMixed[:64],
	},
	{
		name: "private key above the screen", literals: []string{armourEnd, puttyEnd}, kind: endKind,
		example: "«" + madeMixed[:64] + "»\n-----END PRIVATE KEY-----", counter: madeMixed[:64] + "\n-----END CERTIFICATE-----",
	},
	{
		name: "private key in numbers", literals: []string{"priv:", "privateExponent:", "prime1:", "prime2:", "exponent1:", "exponent2:", "coefficient:"}, kind: dumpKind,
		example: "priv:\n  " + "«4f:9a:1c:7e:0b:3d:82:56:f7:a9:c1:»\n  «e3:b5»\npub:\n  04:4f", counter: "pub:\n  4f:9a:1c:7e:0b:3d",
	},
	{
		name: "recovery codes", literals: []string{"recovery codes", "backup codes", "scratch codes", "emergency codes"}, fold: true, kind: codesKind,
		example: "Recovery codes:\n  1. " + "«4f9a1-c7e0b»\n  2. «3d825-6f7a9»\nKeep them.", counter: "the backup codes\n1. Open the settings of 2026\n2. Print them",
	},
}
