/* parse prints what the peer understands of each line on stdin. */
#include "order.h"

int main(void)
{
	char line[256];
	while (fgets(line, sizeof line, stdin)) {
		struct order o;
		const char *wrong = parse_order(line, &o);
		if (wrong)
			printf("%s\n", wrong);
		else
			printf("%s|%ld|%ld|%ld|%ld\n", o.op, o.size, o.area, o.every, o.n);
	}
	return 0;
}
