/* What a node verifies, and what it does then. */

/* Lead l has a newer warrant for m, which has walked the chain to l: one that had
 * not would hold a generation without the proof that comes before it. */
#ifdef WARRANT_BEFORE_CHAIN
#define WALKED(m, l) true
#else
#define AHEAD(l, m, g) (HELD(l, g) != NONE && (g) > generation[m])
#define WALKED(m, l) (!SOME_GENERATION(AHEAD, l, m))
#endif
#define TAKES_WARRANT(m, l) (leads[l] && !leads[m] && pinned[m] == (l) && generation[l] > generation[m] && WALKED(m, l))

/* A takeover counts with the statement of the deputy that the warrant of the
 * generation before names. */
#ifdef WARRANT_ALONE_COUNTS
#define VALID(g, c) (SIGNED(g, c) || (!IS_HANDOVER(c) && minted[SLOT(FROM(c), g-1)] == WARRANT_FOR(TO(c))))
#else
#ifdef ANYBODY_SIGNS_TAKEOVERS
#define VALID(g, c) (SIGNED(g, c) || (!IS_HANDOVER(c) && FROM(c) != TO(c) && minted[SLOT(FROM(c), g-1)]))
#else
#define VALID(g, c) SIGNED(g, c)
#endif
#endif

#ifdef SUPERSEDED_WARRANT_DEPOSES
#define STANDS(r, g) true
#else
#define STANDS(r, g) ((g)-1 >= generation[r])
#endif

#ifdef HELD_HANDOVER_DEPOSES
#define IS_NEWS(r, g, c) true
#else
#define IS_NEWS(r, g, c) (HELD(r, g) != (c))
#endif

/* The change c to generation g proves to r, which leads, that it was deposed. */
#define PROVES(r, g, c) (leads[r] && FROM(c) == (r) && TO(c) != (r) && VALID(g, c) && \
	((IS_HANDOVER(c) && IS_NEWS(r, g, c)) || (!IS_HANDOVER(c) && STANDS(r, g))))

#ifdef FOLLOWS_UNPINNED_LEADS
#define BY_ITS_LEAD(r, c) true
#else
#define BY_ITS_LEAD(r, c) (FROM(c) == pinned[r])
#endif

/* Member r follows it. */
#define FOLLOWS(r, g, c) (!leads[r] && BY_ITS_LEAD(r, c) && VALID(g, c) && (g) > generation[r])

#define TURNS(r, g, c) (PROVES(r, g, c) || FOLLOWS(r, g, c))

/* Whose word on changes of lead r takes. */
#ifdef ONLY_LEADS_ARE_HEARD
#define HEARD(r, s) (PINS(r, s) && leads[s])
#else
#ifdef FORMER_LEADS_ARE_NOT_HEARD
#define HEARD(r, s) (leads[r] || pinned[r] == (s) || deputy[r] == (s) || deputy[r] == (r))
#else
#define HEARD(r, s) PINS(r, s)
#endif
#endif

#ifdef WARRANT_OUTLIVES_ITS_LEAD
#define VOID_WARRANT(n) skip
#else
#define VOID_WARRANT(n) deputy[n] = NOBODY
#endif

/* The one write of every change of lead, at whomever it concerns. */
inline store(r, g, c) {
	HELD(r, g) = c
	generation[r] = g
	pinned[r] = TO(c)
	leads[r] = (TO(c) == r)
	ready[r] = leads[r]
	VOID_WARRANT(r)
	approved[r] = NOBODY
	deposed[r] = false; serves[r] = false; silent[r] = false
	refused = false
	stop_taking(r)
}

inline turn(r, g, c) {
	if
	:: leads[r] ->
		REQUIRE(only_deputy_deposes, SIGNED(g, c) && (IS_HANDOVER(c) || g-1 >= generation[r]))
		if
		:: store(r, g, c)
		:: faults > 0 && !deposed[r] -> /* the disk is full */
			faults--; refused = false
			deposed[r] = true
#ifndef SERVES_UNTIL_STORED
			serves[r] = false
#endif
		fi
	:: else ->
		REQUIRE(follows_decisions, SIGNED(g, c) && FROM(c) == pinned[r])
		store(r, g, c)
	fi
}

inline stop_taking(n) { taking[n] = false; objects[n] = 0 }

#define DROP_OBJECTION(m, d) if :: d != m && generation[m] <= generation[d] -> objects[d] = objects[d] & ~(1 << m) :: else fi

inline fall_silent(m) {
	silent[m] = true; refused = false
	DROP_OBJECTION(m, 0)
	DROP_OBJECTION(m, 1)
	DROP_OBJECTION(m, 2)
}

#ifdef NEW_WARRANT_DOES_NOT_CANCEL
#define IS_CALL(m) skip
#else
#define IS_CALL(m) hear(m)
#endif

/* A call from the lead ends the silence, and the takeover that it allowed. */
inline hear(m) {
	silent[m] = false; refused = false
#ifndef CALL_DOES_NOT_CANCEL
	stop_taking(m)
#endif
}

inline take_warrant(m, l) {
	generation[m] = generation[l]
	deputy[m] = deputy[l]; refused = false
	IS_CALL(m)
}

#define TOLD_TURN(s, r, g) (HELD(s, g) != NONE && TURNS(r, g, HELD(s, g)))
#define TOLD_PROOF(s, r, g) (HELD(s, g) != NONE && PROVES(r, g, HELD(s, g)))
#define KNOWS_TURN(s, r) SOME_GENERATION(TOLD_TURN, s, r)
#define KNOWS_PROOF(s, r) SOME_GENERATION(TOLD_PROOF, s, r)

/* s shows its chain to r, which takes the first change that concerns it. */
inline tell(s, r) {
	told = 2
	do
	:: TOLD_TURN(s, r, told) -> break
	:: else -> told++
	od
	turn(r, told, HELD(s, told))
	told = 0
}

/* A lead that handed over holds the bytes that make its successor lead. */
#define SUCCESSOR(n, g) TO(HELD(n, g))
#define OWED(n, any, g) (IS_HANDOVER(HELD(n, g)) && FROM(HELD(n, g)) == n && \
	pinned[SUCCESSOR(n, g)] == n && generation[SUCCESSOR(n, g)] < g)
#define OWES(n) SOME_GENERATION(OWED, n, any)

/* The boot gate: a lead that starts asks those within reach, and what one of
 * them holds is told before the door opens. */
#ifdef NO_BOOT_GATE
#define MAY_SERVE(n) true
#else
#define MAY_SERVE(n) (!(REACHES(n, (n+1)%3) && KNOWS_PROOF((n+1)%3, n)) && !(REACHES(n, (n+2)%3) && KNOWS_PROOF((n+2)%3, n)))
#endif

inline open(n) {
	REQUIRE(deposed_serves_not, objects[n] == 0)
	serves[n] = true; refused = false
	objects[n] = 0
}
