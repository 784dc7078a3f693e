/* When a property is broken. Every run ends in a crew at rest, where nothing but
 * the end of a fault could change anything: there converges is judged. */

#define BOTH_LEAD(a, b) (ACTS_AS_LEAD(a) && ACTS_AS_LEAD(b) && generation[a] == generation[b] && !unheard)
#define DEPOSED_SERVES(n) (serves[n] && (!leads[n] || deposed[n]))

/* All machines that are not lost run and are connected, if over one another. */
#define RUNS(n) (up[n] || gone == (n))
#define CALM (RUNS(0) && RUNS(1) && RUNS(2) && ((gone == NOBODY && linked[0]+linked[1]+linked[2] >= 2) || \
	(gone == 0 && linked[2]) || (gone == 1 && linked[1]) || (gone == 2 && linked[0])))

/* A handover on its way needs the link between its two ends, since the new lead
 * knows no other member yet. */
#define HELD_UP(n, any, g) (OWED(n, any, g) && !CONNECTED(n, SUCCESSOR(n, g)))
#define HANDOVER_HELD_UP (SOME_GENERATION(HELD_UP, 0, any) || SOME_GENERATION(HELD_UP, 1, any) || SOME_GENERATION(HELD_UP, 2, any))

/* A member that reaches nobody whom it pins stays with the lead that it knew. */
#define HEARS_NOBODY(m) (!(REACHES(m, (m+1)%3) && PINS(m, (m+1)%3)) && !(REACHES(m, (m+2)%3) && PINS(m, (m+2)%3)))
#define FOLLOWS_NOW(m, l) (!up[m] || (!leads[m] && (pinned[m] == l || HEARS_NOBODY(m))))
#define ALONE_LEADS(l, m, o) (ACTS_AS_LEAD(l) && FOLLOWS_NOW(m, l) && FOLLOWS_NOW(o, l))
#define ONE_LEADS (ALONE_LEADS(0, 1, 2) || ALONE_LEADS(1, 0, 2) || ALONE_LEADS(2, 0, 1))

proctype Monitor() {
end:	if
	:: atomic { BOTH_LEAD(0, 1) || BOTH_LEAD(0, 2) || BOTH_LEAD(1, 2) -> REQUIRE(one_lead, false) }
	:: atomic { DEPOSED_SERVES(0) || DEPOSED_SERVES(1) || DEPOSED_SERVES(2) -> REQUIRE(deposed_serves_not, false) }
	:: atomic { !(leads[0] || leads[1] || leads[2] || OWES(0) || OWES(1) || OWES(2)) -> REQUIRE(never_leaderless, false) }
	:: atomic { timeout -> REQUIRE(converges, !CALM || unheard || HANDOVER_HELD_UP || ONE_LEADS) }
	fi
}
