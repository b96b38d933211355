/* reduce KIND BYTES TIMES: combines vectors of float32 in plain loops, which the
 * compiler may turn into whatever this CPU has, and prints how many nanoseconds a
 * time takes. KIND is sum (d = a + b) or add (d += a). */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

__attribute__((noinline)) static void sum(float *restrict d, const float *restrict a, const float *restrict b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		d[i] = a[i] + b[i];
}

__attribute__((noinline)) static void add(float *restrict d, const float *restrict a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		d[i] += a[i];
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: reduce KIND BYTES TIMES\n");
		return 2;
	}
	const size_t bytes = strtoul(argv[2], NULL, 10), times = strtoul(argv[3], NULL, 10), n = bytes / sizeof(float);
	char *m = mmap(NULL, 3 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	float *d = (float *)m, *a = (float *)(m + bytes), *b = (float *)(m + 2 * bytes);
	for (size_t i = 0; i < n; i++)
		a[i] = i % 64, b[i] = 1, d[i] = 0;
	const int all = strcmp(argv[1], "sum") == 0;
	double start = 0;
	for (size_t i = 0; i <= times; i++) {
		if (i == 1) /* warm */
			start = now();
		if (all)
			sum(d, a, b, n);
		else
			add(d, a, n);
	}
	printf("%.3f\n", (now() - start) / times);
	return 0;
}
