/* Signed statements. A signature cannot be forged: what counts is what was once
 * signed, by whoever; and whoever has seen a statement may show it to anybody,
 * whenever and as often as they like. */

#define NODES 3
#define NOBODY 3
#define GENERATIONS 7 /* 1 to 6, for 0 stays unused: each command raises it and may allow one takeover more */

/* Whether some generation to which the lead can have changed is so. */
#define SOME_GENERATION(is, a, b) (is(a, b, 2) || is(a, b, 3) || is(a, b, 4) || is(a, b, 5) || is(a, b, 6))

/* A change of lead, in a byte: the kind and the two leads. */
#define NONE 0
#define TAKEOVER(from, to) (1+(from)*3+(to))
#define HANDOVER(from, to) (10+(from)*3+(to))
#define IS_HANDOVER(c) ((c) > 9)
#define FROM(c) (((c)-1)%9/3)
#define TO(c) (((c)-1)%3)

#define SLOT(n, g) ((n)*GENERATIONS+(g))
#define WARRANT_FOR(m) ((m)+1)

byte minted[NODES*GENERATIONS]; /* the warrant that a lead signed under a generation, 0 for none */
int changes[GENERATIONS];       /* bit c: the change c to this generation was signed */

#define SIGNED(g, c) ((changes[g] >> (c)) & 1)
#define TAKEN_OVER(n, g) (SIGNED(g, TAKEOVER(n, 0)) || SIGNED(g, TAKEOVER(n, 1)) || SIGNED(g, TAKEOVER(n, 2)))
