/* An order is what the leading process wants measured: one line of text,
 *
 *     OP SIZE AREA EVERY N
 *
 * operation, bytes of one operation, bytes over which the operations go round
 * (SIZE: always the same place), operations between two calls of quiet, and
 * operations. The answer is one line: the nanoseconds of all N together, or
 * "error" and why. */
#ifndef ORDER_H
#define ORDER_H

#include <stdio.h>
#include <string.h>

#ifndef MOST_BYTES /* that AREA may have, and so each buffer has */
#define MOST_BYTES (1 << 26)
#endif

struct order {
	char op[16];
	long size, area, every, n;
};

/* parse_order returns NULL, or what is wrong with the line. */
static const char *parse_order(const char *line, struct order *o)
{
	int end = 0;
	size_t length = strlen(line);
	if (length > 100) /* so that no number has more digits than a long */
		return "the line is too long";
	if (strchr(line, '-'))
		return "a number is negative";
	if (sscanf(line, "%15s %18ld %18ld %18ld %18ld%n", o->op, &o->size, &o->area, &o->every, &o->n, &end) != 5
	    || strspn(line + end, " \t\n") != length - end)
		return "want: OP SIZE AREA EVERY N";
	if (o->size < 8 || o->size % 8 != 0)
		return "SIZE must be a positive multiple of 8";
	if (o->area < o->size || o->area > MOST_BYTES || o->area % o->size != 0)
		return "AREA must be a multiple of SIZE, and not larger than the buffers";
	if (o->every < 1 || o->n < 1)
		return "EVERY and N must be positive";
	return NULL;
}

#endif
