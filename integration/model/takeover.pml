/* The takeover: taps at the deputy's door, and what it asks before it decides. */

#define ARMED(d) (up[d] && !leads[d] && deputy[d] == (d) && silent[d])

#ifdef NO_QUESTION_TO_LEAD
#define LEAD_ANSWERS(d) false
#else
#define LEAD_ANSWERS(d) REACHES(d, pinned[d])
#endif

#ifdef NO_WITNESS_ASKED
#define WITNESS_ANSWERS(d, w) false
#else
#define WITNESS_ANSWERS(d, w) REACHES(d, w)
#endif

#ifdef HEARD_LEAD_IS_NO_OBJECTION
#define HEARS_LEAD(w) false
#else
#define HEARS_LEAD(w) (!silent[w])
#endif

#ifdef HIGHER_WARRANT_IS_NO_OBJECTION
#define KNOWS_MORE(w, d) false
#else
#define KNOWS_MORE(w, d) (generation[w] > generation[d])
#endif

/* Who has reached d since the tap and had reason to object. A witness without
 * the warrant cannot tell. */
#define OBJECTS(m, d) (REACHES(m, d) && \
	(m == pinned[d] || generation[m] > generation[d] || (generation[m] == generation[d] && !silent[m])))

inline tap(n) {
	d = n; w = 3-n-pinned[n]
	taking[d] = true
	objects[d] = 0
	if :: OBJECTS(w, d) -> objects[d] = objects[d] | (1 << w) :: else fi
	if :: OBJECTS(pinned[d], d) -> objects[d] = objects[d] | (1 << pinned[d]) :: else fi
}

inline decide(n) {
	REQUIRE(one_lead, objects[n] == 0 && silent[n])
	REQUIRE(only_deputy_deposes, minted[SLOT(pinned[n], generation[n])] == WARRANT_FOR(n))
	g = generation[n]+1
	unheard = unheard || minted[SLOT(pinned[n], g)] == WARRANT_FOR(NOBODY)
#ifdef TAKEOVER_KEEPS_GENERATION
	g--
#endif
	c = TAKEOVER(pinned[n], n)
	changes[g] = changes[g] | (1 << c)
	store(n, g, c)
#ifdef DECISION_IN_TWO_WRITES
	leads[n] = false; taking[n] = true
#endif
	g = 0; c = 0
}

inline refuse(n) { stop_taking(n); refused = true }

inline ask_lead() {
	if
	:: taking[d] && LEAD_ANSWERS(d) -> refuse(d)
	:: else
	fi
}

inline ask_witness() {
	if
	:: taking[d] && WITNESS_ANSWERS(d, w) && KNOWS_MORE(w, d) ->
		refuse(d)
		if
		:: pinned[w] == pinned[d] && !leads[w] -> generation[d] = generation[w]; deputy[d] = deputy[w]; refused = false
		:: else
		fi
	:: taking[d] && WITNESS_ANSWERS(d, w) && generation[w] == generation[d] && HEARS_LEAD(w) -> refuse(d)
	:: else
	fi
}

/* The deputy's door, and the operator who taps whenever it might help, and a
 * second time when no witness answers. */
proctype Deputy() {
	byte d, w, g, c;
end:	do
	:: atomic {
		if
		:: ARMED(0) && !refused -> tap(0)
		:: ARMED(1) && !refused -> tap(1)
		:: ARMED(2) && !refused -> tap(2)
		fi
	   }
	   atomic { ask_lead() }
	   atomic { ask_witness() }
#ifdef SIGNED_BEFORE_STORED
	   atomic {
		if
		:: taking[d] -> changes[generation[d]+1] = changes[generation[d]+1] | (1 << TAKEOVER(pinned[d], d))
		:: else
		fi
	   }
#endif
	   atomic {
		if
		:: taking[d] && deputy[d] == d -> decide(d)
		:: else -> stop_taking(d)
		fi
#ifdef DECISION_IN_TWO_WRITES
	   }
	   atomic {
		if
		:: taking[d] -> leads[d] = true; ready[d] = true; taking[d] = false
		:: else
		fi
#endif
		d = 0; w = 0
	   }
	od
}
