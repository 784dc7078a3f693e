/*
 * Takeover, deposition and promotion in a crew of three: node 0 leads at first,
 * node 1 is its deputy, node 2 a member. README.md says what this abstracts, what
 * each property means, and how to run it.
 *
 * Every atomic block is one step of one node: a statement verified and what
 * follows from it stored (one write), a front door opened, a question answered. A
 * crash comes between any two of them. What is stored is stored before the step
 * is seen; the rest is memory, which a crash takes.
 *
 * A macro in capitals that is only tested with #ifdef breaks one rule, so that
 * a test can see the property fail that the rule is there for.
 */

#include "statements.pml"

#ifndef FAULTS
#define FAULTS 3 /* cut links, crashes and full disks in one run */
#endif
#ifndef ACTS
#define ACTS 1 /* commands of the operator in one run, taps and claims not counted */
#endif

/* What each node has stored. */
bool leads[NODES];             /* its role */
byte generation[NODES];        /* the highest that it has verified */
byte pinned[NODES];            /* whom it follows; itself if it leads */
byte deputy[NODES];            /* whom the standing warrant names, or NOBODY */
byte approved[NODES];          /* whom the lead may hand over to, or NOBODY */
byte chain[NODES*GENERATIONS]; /* the changes of lead that it holds */

/* What each node has in memory. */
bool up[NODES];
bool serves[NODES];  /* its front door is open */
bool ready[NODES];   /* it leads and may open its front door */
bool deposed[NODES]; /* it was shown a proof that the disk would not take */
bool silent[NODES];  /* its lead has not called for the arming time */
bool taking[NODES];  /* it runs a takeover */
bool refused;        /* nothing has happened since a takeover was refused, so another tap would be too */
byte told;           /* a variable of one step */

/* The world. */
bool linked[3]; /* between 0 and 1, 0 and 2, 1 and 2 */
byte faults = FAULTS;
byte acts = ACTS;
byte gone = NOBODY; /* the node whose machine is lost for good */

/* What the properties ask of the past. Bit m of objects[n] is set while m could
 * have told n, ever since the takeover that n runs or the start that n makes
 * began, why it must not lead. */
byte objects[NODES];
bool unheard; /* a takeover, and a revocation of the same lead that its deputy had not heard of */

/* The properties, so that pan reports a failure by name. With ONLY=name it looks
 * for that one alone. */
bool one_lead = true;
bool deposed_serves_not = true;
bool only_deputy_deposes = true;
bool never_leaderless = true;
bool follows_decisions = true;
bool converges = true;

#define NUMBER_one_lead 1
#define NUMBER_deposed_serves_not 2
#define NUMBER_only_deputy_deposes 3
#define NUMBER_never_leaderless 4
#define NUMBER_follows_decisions 5
#define NUMBER_converges 6
#define NUMBER(property) JOINED(property)
#define JOINED(property) NUMBER_##property

#ifdef ONLY
#define REQUIRE(property, condition) property = (NUMBER(ONLY) != NUMBER(property) || (condition)); assert(property)
#else
#define REQUIRE(property, condition) property = (condition); assert(property)
#endif

#define CONNECTED(a, b)  linked[(a)+(b)-1]
#define REACHES(a, b)    (up[a] && up[b] && CONNECTED(a, b))
#define ACTS_AS_LEAD(n)  (up[n] && leads[n] && serves[n] && !deposed[n])
#define HELD(n, g)       chain[(n)*GENERATIONS+(g)]

/* Whom a node hears: its members, its lead, the deputy of its warrant, the leads
 * that it followed before; and, if it is the deputy, its witnesses. */
#define LED(r, s, g) (HELD(r, g) != NONE && FROM(HELD(r, g)) == (s))
#define PINS(r, s) (leads[r] || pinned[r] == (s) || deputy[r] == (s) || deputy[r] == (r) || SOME_GENERATION(LED, r, s))

#include "rules.pml"
#include "takeover.pml"
#include "world.pml"
#include "properties.pml"

#define CALLS(s, n) (silent[n] && REACHES(s, n) && ACTS_AS_LEAD(s))
#define HAS_WARRANT(s, n) (!leads[n] && REACHES(s, n) && TAKES_WARRANT(n, s))
#define HAS_NEWS(s, n) (REACHES(s, n) && HEARD(n, s) && KNOWS_TURN(s, n))

/* What a node hears and does without being asked. Every step changes something,
 * so a crew that is left alone comes to rest. */
proctype Node(byte n) {
	byte s;
end:	do
	:: atomic { CALLS(pinned[n], n) -> hear(n) }
	:: atomic { HAS_WARRANT(pinned[n], n) -> take_warrant(n, pinned[n]) }
	:: atomic {
		if
		:: HAS_NEWS((n+1)%3, n) -> s = (n+1)%3
		:: HAS_NEWS((n+2)%3, n) -> s = (n+2)%3
		fi;
		tell(s, n); s = 0
	   }
	:: atomic { up[n] && !leads[n] && !silent[n] && deputy[n] != NOBODY &&
		!(REACHES(n, pinned[n]) && ACTS_AS_LEAD(pinned[n])) -> fall_silent(n) }
	:: atomic { up[n] && leads[n] && !ready[n] && !deposed[n] && MAY_SERVE(n) -> ready[n] = true; refused = false }
	:: atomic { up[n] && leads[n] && ready[n] && !serves[n] && !deposed[n] -> open(n) }
#ifdef OLD_LEAD_TAKES_BACK
	:: atomic { up[n] && OWES(n) -> leads[n] = true; pinned[n] = n; ready[n] = true }
#endif
	od
}

init {
	atomic {
		byte n;
		for (n : 0 .. NODES-1) {
			up[n] = true; linked[n] = true
			generation[n] = 1; pinned[n] = 0; deputy[n] = 1; approved[n] = NOBODY
		}
		leads[0] = true; ready[0] = true; serves[0] = true
		minted[SLOT(0, 1)] = WARRANT_FOR(1)
		run Node(0); run Node(1); run Node(2)
		run Deputy(); run Operator(); run Network()
		run Stray(); run Monitor()
	}
}
