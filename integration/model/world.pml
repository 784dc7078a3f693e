/* What comes from outside: commands, faults, replays. Each of them may end at any time. */

/* Commands on the lead; and the claim of the member that it approved. */
#define COMMANDED(n) (acts > 0 && ACTS_AS_LEAD(n) && generation[n]+1 < GENERATIONS)

/* Who was deputy before has to be told first that it is no more. */
#ifdef NAMES_OVER_A_DEPUTY
#define MAY_NAME(l) true
#else
#define MAY_NAME(l) (deputy[l] == NOBODY)
#endif

#ifdef HANDS_OVER_BESIDE_A_DEPUTY
#define MAY_HAND_OVER(l, m) true
#else
#define MAY_HAND_OVER(l, m) (deputy[l] == NOBODY || deputy[l] == (m))
#endif

inline mint(l, m) {
	acts--; refused = false
	generation[l]++; deputy[l] = m
	unheard = unheard || (m == NOBODY && TAKEN_OVER(l, generation[l]))
	minted[SLOT(l, generation[l])] = WARRANT_FOR(m)
}

#ifdef CLAIMS_NEED_NO_APPROVAL
#define APPROVED(l, m) true
#else
#define APPROVED(l, m) (approved[l] == (m))
#endif

#define CLAIMS(m, l) (REACHES(l, m) && ACTS_AS_LEAD(l) && pinned[m] == (l) && generation[m] == generation[l] && \
	generation[l]+1 < GENERATIONS && APPROVED(l, m) && MAY_HAND_OVER(l, m))

inline hand_over(l, m) {
	REQUIRE(only_deputy_deposes, approved[l] == m)
	g = generation[l]+1
	changes[g] = changes[g] | (1 << HANDOVER(l, m))
	store(l, g, HANDOVER(l, m))
#ifdef HANDOVER_NOT_KEPT
	HELD(l, g) = NONE
#endif
	g = 0
}

proctype Operator() {
	byte l, m, g;
progress:
	do
	:: atomic {
		select(l : 0 .. 2);
		select(m : 0 .. 2);
		if
		:: COMMANDED(l) && deputy[l] != NOBODY -> mint(l, NOBODY)
		:: COMMANDED(l) && m != l && deputy[l] != m && MAY_NAME(l) && REACHES(l, m) && pinned[m] == l -> mint(l, m)
		:: COMMANDED(l) && m != l && approved[l] != m -> acts--; refused = false; approved[l] = m
		:: m != l && CLAIMS(m, l) -> hand_over(l, m)
		:: else
		fi;
		l = 0; m = 0
	   }
	:: break
	od
}

/* Crashes, cuts, and their end. */
inline crash(n) {
	faults--; refused = false
	up[n] = false
	ready[n] = false; serves[n] = false; deposed[n] = false; silent[n] = false
	stop_taking(n)
	objects[0] = objects[0] & ~(1 << n); objects[1] = objects[1] & ~(1 << n); objects[2] = objects[2] & ~(1 << n)
}

inline start(n) {
	up[n] = true; refused = false
	if
	:: leads[n] ->
		if :: REACHES(n, (n+1)%3) && KNOWS_PROOF((n+1)%3, n) -> objects[n] = objects[n] | (1 << ((n+1)%3)) :: else fi
		if :: REACHES(n, (n+2)%3) && KNOWS_PROOF((n+2)%3, n) -> objects[n] = objects[n] | (1 << ((n+2)%3)) :: else fi
	:: else
	fi
}

#define REPLACEABLE(n) (gone == NOBODY && leads[n] && deputy[n] != NOBODY && \
	generation[(n+1)%3] == generation[n] && pinned[(n+1)%3] == n && \
	generation[(n+2)%3] == generation[n] && pinned[(n+2)%3] == n)

inline cut(a, b) {
	faults--; refused = false
	CONNECTED(a, b) = false
	objects[a] = objects[a] & ~(1 << b); objects[b] = objects[b] & ~(1 << a)
}

proctype Network() {
	byte n;
progress:
	do
	:: atomic {
		select(n : 0 .. 2);
		if
		:: faults > 0 && up[n] -> crash(n)
		:: faults > 0 && up[n] && REPLACEABLE(n) -> crash(n); gone = n
		:: !up[n] && gone != n -> start(n)
		:: faults > 0 && CONNECTED(n, (n+1)%3) -> cut(n, (n+1)%3)
		:: !CONNECTED(n, (n+1)%3) -> CONNECTED(n, (n+1)%3) = true; refused = false
		:: else
		fi;
		n = 0
	   }
	:: break
	od
}

/* Late, repeated and stolen statements: anybody shows anything that verifies to
 * anybody, whatever is connected. */
#if defined(WARRANT_ALONE_COUNTS) || defined(ANYBODY_SIGNS_TAKEOVERS)
#define IN_CIRCULATION(g) true
#else
#define IN_CIRCULATION(g) (changes[g] != 0)
#endif

proctype Stray() {
	byte r, g, c, f;
progress:
	do
	:: atomic {
		if
		:: IN_CIRCULATION(2) -> g = 2
		:: IN_CIRCULATION(3) -> g = 3
		:: IN_CIRCULATION(4) -> g = 4
		:: IN_CIRCULATION(5) -> g = 5
		:: IN_CIRCULATION(6) -> g = 6
		fi;
		select(r : 0 .. 2);
		select(c : 0 .. 2);
#ifdef FOLLOWS_UNPINNED_LEADS
		select(f : 0 .. 2);
#else
		f = pinned[r]; /* whose word alone counts for r */
#endif
		if
		:: c = TAKEOVER(f, c)
		:: c = HANDOVER(f, c)
		fi;
		if
		:: up[r] && TURNS(r, g, c) -> turn(r, g, c)
		:: else
		fi;
		r = 0; g = 0; c = 0; f = 0
	   }
	:: break
	od
}
